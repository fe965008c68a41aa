// A solver, and after that the published evaluator's `node test.js`. Placed behind frames.js. It is sent the solver as the
// text of a function, which runs in a realm of its own that has nothing of Node.js, and the published program when the
// tests have accepted all answers.
const vm = require('vm');
const Module = require('module');

const solver = vm.runInContext(receive()[1].toString('utf8'), vm.createContext({}));
const program = solver(receive, send, Buffer).toString('utf8');
const place = '/program/test.js';
process.argv.splice(1, 2, place);
const main = new Module(place, null);
main.id = '.';
main.filename = place;
main.paths = Module._nodeModulePaths('/program');
process.mainModule = main;
main._compile(program, place);
main.loaded = true;
