// A judge that serves sample after sample. Placed behind frames.js. It is sent a function's text for
// each, which runs the tests in a realm of its own, with no more of Node.js than a console that prints nothing: what the
// tests would print is a failure.
const vm = require('vm');
for (;;) {
  const text = receive()[1].toString('utf8');
  let printed = false;
  const print = () => { printed = true; };
  const console = new Proxy({}, {
    get: (_, name) => name === 'assert' ? (holds) => { printed = printed || !holds; } : print,
  });
  let why = 'the tests printed';
  try {
    vm.runInContext(text, vm.createContext({ console }))(receive, send, Buffer);
  } catch (failure) {
    printed = true;
    why = String(failure);
  }
  if (printed) {
    send('F', Buffer.from(why.slice(0, 4000), 'utf8'));
  } else {
    finish();
  }
}
