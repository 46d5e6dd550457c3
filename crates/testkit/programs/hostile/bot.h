/* What the hostile programs share. Every one of them is bounded: at most
 * MAX_PROCESSES processes, MAX_BYTES bytes and MAX_SECONDS seconds, so that a
 * failing sandbox does not take the machine down. */
#ifndef BOT_H
#define BOT_H
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PROCESSES 2000
#define MAX_BYTES (256L << 20)
#define MAX_SECONDS 20

/* The arguments after the name of the behaviour; the last one is the view. */
extern int arg_count;
extern char **args;
const char *arg(int index);

/* Says on standard error that something worked, or did not and why. */
void did(const char *format, ...);
void refused(const char *format, ...);
/* Says `did` or `refused` from the result of a system call, and returns it. */
long attempt(long result, const char *format, ...);

/* Prints a legal action. */
void answer(void);
/* Milliseconds since the program started. */
long elapsed_ms(void);
void nap_ms(long milliseconds);
void nap_to_the_end(void);
void burn_ms(long milliseconds);
void burn_to_the_end(void);
/* Forks unless MAX_PROCESSES have been made; then fails with EDQUOT. */
pid_t bounded_fork(void);
int forks_made(void);
/* Folders, and a name that nobody else uses. */
const char *scratch(void);
const char *program(void);
const char *run_name(void);
char *path_of(const char *folder, const char *name);
int can_create(const char *folder);
#endif
