/* Programs that stay are asked on descriptor 3 and answer on descriptor 4. A
 * request is a line `NUMBER MILLISECONDS FILLING`: the milliseconds are the limit
 * for the answer, the line `NUMBER ACTION`. The first line is `ready`. */
#ifndef TALK_H
#define TALK_H
#include "bot.h"

struct request { int number; long limit_ms; };

/* Reads the next request; ends the program when there is none any more. */
struct request next_request(void);
void send_line(const char *format, ...);
void be_ready(void);
void answer_request(struct request request);
#endif
