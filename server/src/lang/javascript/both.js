// A solver, and after that the published evaluator's `node test.js`. Placed behind frames.js. It is sent the solver as the
// text of a function, which runs in a realm of its own, and the published program when the tests have accepted all
// answers.
const vm = require('vm');
const Module = require('module');
const place = '/program/test.js';
process.argv.splice(1, 2, place);

const asMain = () => {
  const main = new Module(place, null);
  main.id = '.';
  main.filename = place;
  main.paths = Module._nodeModulePaths('/program');
  process.mainModule = main;
  return main;
};

const solve = () => {
  const realm = vm.createContext({});
  const own = vm.runInContext('globalThis', realm);
  for (const name of Reflect.ownKeys(globalThis)) {
    if (!(name in own)) Object.defineProperty(own, name, Object.getOwnPropertyDescriptor(globalThis, name));
  }
  own.global = own;
  const text = receive()[1].toString('utf8');
  const main = asMain();
  const require = Module.createRequire(place);
  const solver = vm.runInContext(text, realm, { filename: place });
  return solver.call(main.exports, main.exports, require, main, place, '/program', receive, send);
};

const program = solve().toString('utf8');
const main = asMain();
main._compile(program, place);
main.loaded = true;
