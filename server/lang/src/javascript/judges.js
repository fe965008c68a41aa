// A pooled judge: serves one sample after another. Placed after frames.js. For each sample it receives the text of a
// function that runs the tests. The function runs in a new realm without Node.js, except for a console that prints
// nothing. Any output, and a false console.assert, count as a failure of the tests.
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
