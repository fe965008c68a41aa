// A solver that then runs the published program as `node test.js` would. Placed after frames.js. The first frame
// contains the solver as the text of a function, which runs in a separate realm without Node.js. The published program
// arrives after the tests have accepted all answers, and runs in the main realm.
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
