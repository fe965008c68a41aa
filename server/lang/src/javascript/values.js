// Plain values as JSON, for the two processes of the guard. Placed after the code of each, inside a function that has
// `receive` and `send` (frames.js) and `Buffer`. The reader creates only primitives, arrays, plain objects, Map, Set
// and Date.
class NotPlain extends Error {}

// What was written or read since the last `forget`: see `Facts` in answers.rs. `kinds` has the kinds of values by depth.
let seen;
// The most keys and elements that may be read; a set of keys that collide is not even made.
let mostEntries = Infinity;
const forget = () => { seen = { largest: 0, nans: 0, infinities: 0, entries: 0, kinds: [0, 0, 0, 0, 0] }; };
forget();
const KINDS = ['number', 'boolean', 'null', 'undefined', 'string', 'bigint', 'array', 'map', 'set', 'date', 'object'];
const see = (kind, depth) => { seen.kinds[Math.min(depth, 4)] |= 1 << KINDS.indexOf(kind); };
const seeEntries = (count) => {
  seen.entries += count;
  if (seen.entries > mostEntries) throw new Error('too many keys');
};
const seeNumber = (number) => {
  const size = Math.abs(number);
  if (size !== size) seen.nans += 1;
  else if (size === Infinity) seen.infinities += 1;
  else if (size > seen.largest) seen.largest = size;
};

const tagged = (value, depth) => {
  if (depth > 200) throw new NotPlain('values nested too deep');
  const inside = (item) => tagged(item, depth + 1);
  const kind = value === null ? 'null' : typeof value;
  if (kind !== 'object') see(kind, depth);
  switch (kind) {
    case 'null':
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      seeNumber(value);
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { n: Object.is(value, -0) ? '-0' : String(value) };
    case 'undefined':
      return { u: 1 };
    case 'bigint':
      return { b: String(value) };
    case 'object':
      break;
    default:
      throw new NotPlain('a value of type ' + typeof value);
  }
  if (Array.isArray(value)) {
    see('array', depth);
    return { a: Array.from(value, inside) };
  }
  if (value instanceof Map) {
    see('map', depth);
    seeEntries(value.size);
    return { m: [...value].map(([key, item]) => [inside(key), inside(item)]) };
  }
  if (value instanceof Set) {
    see('set', depth);
    seeEntries(value.size);
    return { s: [...value].map(inside) };
  }
  if (value instanceof Date) {
    see('date', depth);
    seeNumber(value.getTime());
    return { d: String(value.getTime()) };
  }
  see('object', depth);
  const keys = Object.keys(value);
  seeEntries(keys.length);
  return { o: keys.map((key) => [key, inside(value[key])]) };
};
const untagged = (value, depth) => {
  const inside = (item) => untagged(item, depth + 1);
  const kind = value === null ? 'null' : typeof value;
  if (kind === 'number') seeNumber(value);
  if (kind !== 'object') {
    see(kind, depth);
    return value;
  }
  if ('n' in value) return untagged(Number(value.n), depth);
  if ('u' in value) return untagged(undefined, depth);
  if ('b' in value) return untagged(BigInt(value.b), depth);
  if ('a' in value) {
    see('array', depth);
    return value.a.map(inside);
  }
  if ('m' in value) {
    see('map', depth);
    seeEntries(value.m.length);
    return new Map(value.m.map(([key, item]) => [inside(key), inside(item)]));
  }
  if ('s' in value) {
    see('set', depth);
    seeEntries(value.s.length);
    return new Set(value.s.map(inside));
  }
  if ('d' in value) {
    see('date', depth);
    const time = Number(value.d);
    seeNumber(time);
    return new Date(time);
  }
  see('object', depth);
  seeEntries(value.o.length);
  const made = {};
  for (const [key, item] of value.o) {
    Object.defineProperty(made, key, { value: inside(item), enumerable: true, writable: true, configurable: true });
  }
  return made;
};
const text = (value) => JSON.stringify(tagged(value, 0));
const dump = (value) => Buffer.from(text(value), 'utf8');
const load = (data) => untagged(JSON.parse(data.toString('utf8')), 0);

const FACTS = 40;
const shape = () => seen.kinds.reduce((bits, kinds, depth) => bits | BigInt(kinds) << BigInt(11 * depth), 0n);
// The first 64 arguments that a function can change for its caller, as text; otherwise undefined.
const changeable = (given) => given.slice(0, 64).map((one) => Array.isArray(one) ? text(one) : undefined);
// An answer with the arguments that the function changed: those whose text is not what it was. A change that cannot be sent
// does not count.
const dumpAnswer = (answer, given, before) => {
  forget();
  const parts = [dump(answer)];
  const kinds = shape();
  let changed = 0n;
  before.forEach((was, at) => {
    if (was === undefined) return;
    const until = seen;
    seen = { ...seen };
    let now = was;
    try {
      now = text(given[at]);
    } catch (failure) {
      // It stays as it was.
    }
    if (now === was) {
      seen = until;
      return;
    }
    changed |= 1n << BigInt(at);
    const change = Buffer.from(now, 'utf8');
    const size = Buffer.alloc(4);
    size.writeUInt32BE(change.length, 0);
    parts.push(size, change);
  });
  const head = Buffer.alloc(FACTS);
  head.writeBigUInt64BE(changed, 0);
  head.writeBigUInt64BE(kinds, 8);
  head.writeDoubleBE(seen.largest, 16);
  head.writeUInt32BE(seen.nans, 24);
  head.writeUInt32BE(seen.infinities, 28);
  head.writeUInt32BE(seen.entries, 32);
  head.writeUInt32BE(parts[0].length, 36);
  return Buffer.concat([head, ...parts]);
};
// Why an answer is refused, if it is: see `refusal` in answers.rs.
const excess = (head) => {
  if (seen.nans > head.readUInt32BE(24)) return 'n';
  if (seen.infinities > head.readUInt32BE(28)) return 'i';
  if (!(seen.largest <= head.readDoubleBE(16))) return 'l';
  return undefined;
};
// The answer, and the changed arguments by position.
const loadAnswer = (data) => {
  forget();
  mostEntries = data.readUInt32BE(32);
  let at = FACTS + data.readUInt32BE(36);
  const answer = load(data.subarray(FACTS, at));
  const isOfAnotherType = (shape() & ~data.readBigUInt64BE(8)) !== 0n;
  const changes = [];
  for (let position = 0; position < 64; position += 1) {
    if ((data.readBigUInt64BE(0) >> BigInt(position) & 1n) === 1n) {
      const size = data.readUInt32BE(at);
      changes.push([position, load(data.subarray(at + 4, at + 4 + size))]);
      at += 4 + size;
    }
  }
  return [answer, changes, excess(data) ?? (isOfAnotherType ? 's' : undefined)];
};

// Answers calls. Returns the content of the first frame that is not a call.
const serve = (entry) => {
  for (;;) {
    const [kind, data] = receive();
    if (kind !== 'C') return data;
    const given = load(data);
    const before = changeable(given);
    let answer;
    try {
      answer = dumpAnswer(entry(...given), given, before);
    } catch (failure) {
      const text = String(failure);
      send(failure instanceof NotPlain ? 'U' : 'X', Buffer.from(text.slice(0, 4000), 'utf8'));
      process.exit(0);
    }
    send('A', answer);
  }
};
const call = (...given) => {
  send('C', dump(given));
  const [kind, answered] = receive();
  if (kind !== 'A') throw new Error('there is no answer');
  let [answer, changes, refused] = [undefined, [], 'f'];
  try {
    [answer, changes, refused] = loadAnswer(answered);
  } catch (failure) {
    // Too much, or not what a solver sends.
    if (seen.entries > mostEntries) refused = 'e';
  }
  mostEntries = Infinity;
  if (refused) {
    send('O', Buffer.from(refused, 'latin1'));
    throw new Error('the answer is refused');
  }
  // A function may change the array that it is given, where the dataset's own solution does.
  for (const [position, theirs] of changes) {
    const ours = given[position];
    if (!Array.isArray(ours) || !Array.isArray(theirs)) continue;
    ours.length = 0;
    for (const item of theirs) ours.push(item);
  }
  return answer;
};
