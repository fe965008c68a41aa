// Reads and writes frames on the control socket. The first argument is the number of its descriptor.
const fs = require('fs');
const descriptor = Number(process.argv[2]);

const take = (count) => {
  const data = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    const read = fs.readSync(descriptor, data, at, count - at);
    if (read === 0) process.exit(0);
    at += read;
  }
  return data;
};
const receive = () => {
  const frame = take(take(4).readUInt32BE(0));
  return [frame.toString('latin1', 0, 1), frame.subarray(1)];
};
const send = (kind, data) => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(data.length + 1, 0);
  head.write(kind, 4, 'latin1');
  const frame = Buffer.concat([head, data]);
  for (let at = 0; at < frame.length;) at += fs.writeSync(descriptor, frame, at);
};
// Reports that the tests have ended, and returns the nonce.
const finish = () => {
  send('E', Buffer.alloc(0));
  send('R', receive()[1]);
};
