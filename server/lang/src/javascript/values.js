// Plain values as JSON, for the two processes of the guard. Placed after the code of each, inside a function that has
// `receive` and `send` (frames.js) and `Buffer`. The reader creates only primitives, arrays, plain objects, Map, Set
// and Date.
class NotPlain extends Error {}

const tagged = (value, depth) => {
  if (depth > 200) throw new NotPlain('values nested too deep');
  const inside = (item) => tagged(item, depth + 1);
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value;
    case 'number':
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
  if (value === null) return null;
  if (Array.isArray(value)) return { a: Array.from(value, inside) };
  if (value instanceof Map) return { m: [...value].map(([key, item]) => [inside(key), inside(item)]) };
  if (value instanceof Set) return { s: [...value].map(inside) };
  if (value instanceof Date) return { d: value.getTime() };
  return { o: Object.keys(value).map((key) => [key, inside(value[key])]) };
};
const untagged = (value) => {
  if (value === null || typeof value !== 'object') return value;
  if ('n' in value) return Number(value.n);
  if ('u' in value) return undefined;
  if ('b' in value) return BigInt(value.b);
  if ('a' in value) return value.a.map(untagged);
  if ('m' in value) return new Map(value.m.map(([key, item]) => [untagged(key), untagged(item)]));
  if ('s' in value) return new Set(value.s.map(untagged));
  if ('d' in value) return new Date(value.d);
  const made = {};
  for (const [key, item] of value.o) {
    Object.defineProperty(made, key, { value: untagged(item), enumerable: true, writable: true, configurable: true });
  }
  return made;
};
const dump = (value) => Buffer.from(JSON.stringify(tagged(value, 0)), 'utf8');
const load = (data) => untagged(JSON.parse(data.toString('utf8')));

// Answers calls. Returns the content of the first frame that is not a call.
const serve = (entry) => {
  for (;;) {
    const [kind, data] = receive();
    if (kind !== 'C') return data;
    const given = load(data);
    let answer;
    try {
      answer = dump([entry(...given), given]);
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
  const [answer, changed] = load(answered);
  // A function may change the array that it is given.
  given.forEach((ours, at) => {
    if (Array.isArray(ours) && Array.isArray(changed[at])) ours.splice(0, ours.length, ...changed[at]);
  });
  return answer;
};
