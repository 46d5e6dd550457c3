// As a terminal would: ends every line with \r\n, sends an empty one on every TICK, and takes
// whatever a read brings for whole lines.
var net = require('net');

var client = net.connect(8037, 'uwcs.co.uk');
client.setEncoding('utf8');
client.on('data', function (text) {
  text.split('\n').forEach(function (line) {
    if (line === 'INIT') client.write('REGISTER nodebot hunter2\r\n');
    if (line.indexOf('TICK') === 0) {
      client.write('\r\n');
      client.write('ACTION LEFT\r\n');
    }
  });
});
client.on('error', function () { process.exit(0); });
