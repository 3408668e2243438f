/** A script that tries to harm its host. */
export interface HostileScript {
  readonly name: string
  readonly source: string
  /** The required outcome: the JSON of its result or failure. Absent if any outcome is fine. */
  readonly ends?: string
}

/** Scripts that exhaust memory in every way the language offers. */
const MEMORY = {
  'str double': "let s='x';for(;;)s+=s+s; return s.length",
  'str rope flat': "let s='x';for(;;){s+=s+'y'; s.charCodeAt(3)}",
  'str repeat': "const k=[];for(;;)k.push('ab'.repeat(1e6))",
  'str repeat huge': "return 'x'.repeat(2**29).length",
  'str pad': "return 'x'.padEnd(2**29,'yz').length",
  'array push': 'const a=[];for(;;)a.push(1)',
  'array fill': 'return new Array(1e9).fill(0).length',
  'array reverse': 'const a=[];a.length=4294967295;a.reverse();return 1',
  'arraylike huge': 'return Array.prototype.indexOf.call({length:2**53-1},1)',
  'Array.from of a length': 'return Array.from({length:1e9}).length',
  spread: 'const f=(...a)=>a.length; return f(...new Array(1e7).fill(1))',
  apply: 'return Math.max.apply(null,{length:6e4})',
  typed: 'const k=[];for(;;)k.push(new Uint8Array(512*1024))',
  'typed huge': 'return new Uint8Array(2**31-1).length',
  'resizable buffer':
    'const b=new ArrayBuffer(8,{maxByteLength:2**30});b.resize(2**29);return b.byteLength',
  'resized buffers':
    'const b=new ArrayBuffer(8,{maxByteLength:8*1024*1024});const k=[];for(;;){b.resize(8*1024*1024);b.resize(8);k.push(b.slice(0))}',
  'shared buffers': 'const k=[];for(;;)k.push(new SharedArrayBuffer(1<<20))',
  map: 'const m=new Map();for(let i=0;;i++)m.set(i,{i})',
  closures: 'let f=()=>1;for(;;){const g=f;f=()=>g()+1}',
  symbols: "const k=[];for(let i=0;;i++)k.push(Symbol.for('s'+i))",
  properties: "const o={};for(let i=0;;i++)o['k'+i]=i",
  'memory errors caught in a loop':
    "const k=[];for(;;){try{for(;;)k.push('x'.repeat(1e5)+Math.random())}catch{}}",
  'regex mem': "return new RegExp('(?:a{1000}){1000}'.repeat(20)).test('a'.repeat(1e5))",
  'regex replace': "return 'a'.repeat(1e6).replace(/a/g,'$&'.repeat(1000)).length",
  'promise flood': 'const k=[];for(;;)k.push(new Promise(r=>r(1)).then(x=>x))',
  generator: 'function*g(){for(;;)yield 1} return [...g()].length',
  'iter never': 'return Array.from({[Symbol.iterator]:()=>({next:()=>({done:false})})}).length',
  'bigint pow': 'return (2n**(2n**26n)).toString().length',
  'bigint mul': 'let a=1n<<1000000n;for(let i=0;i<10;i++)a=a*a;return 1',
  'bigint tostring': 'return ((1n<<8000000n)-1n).toString().length',
  'bigint parse': "return BigInt('9'.repeat(1000000))>1n",
  'bigint div': 'const a=(1n<<8000000n)-1n,b=(1n<<4000000n)-12345n;return (a/b)>0n',
  set: 'const s=new Set();for(let i=0;;i++)s.add({i})',
  'weak map':
    'const m=new WeakMap(),k=[];for(;;){const o={};k.push(o);m.set(o,new Array(100).fill(1))}',
  errors: String.raw`const k=[];for(;;)k.push(new Error("x".repeat(1000)))`,
  'async generators':
    'const k=[];async function*g(){for(;;)yield 1}for(;;){const i=g();k.push(i);void i.next()}',
  template: String.raw`let s="x";for(;;)s=[s,s].join("")`,
  'flat map': '[...Array(1e4)].flatMap(()=>Array(1e4).fill(0)).length',
  'waiting calls': String.raw`const k=[];for(let i=0;i<150;i++)k.push(tools.a.open({x:"y".repeat(900)}),"z".repeat(2e5)+i);await 0;1`,
}

/** Scripts that never end, or take very long. */
const TIME = {
  'array sparse join': "return (new Array(1e9)+'').length",
  'array sparse join2': "const a=[];a.length=4294967295;return a.join('').length",
  'array sparse sort': 'const a=[];a.length=4294967295;a[4294967294]=1;a.sort();return 1',
  'array indexOf': 'const a=[];a.length=4294967295;return a.indexOf(5)',
  'regex backtrack': "return /^(a+)+$/.test('a'.repeat(40)+'b')",
  'regex backtrack2': "return /(x+x+)+y/.test('x'.repeat(60))",
  'regex catch': "for(;;){try{/^(a+)+$/.test('a'.repeat(40)+'b')}catch{}}",
  'regex lookbehind': "return /(?<=(a*)*)b/.test('a'.repeat(5e4))",
  'microtask loop': 'for(;;) await 0',
  'queued microtasks': 'const f=()=>queueMicrotask(f);f();await new Promise(()=>{})',
  'microtask async catch':
    'const g=async()=>{for(;;){await 0;try{while(true){}}catch{}}};g();g();await new Promise(()=>{})',
  'thenable loop': 'const t={then(r){r(t)}};await t',
  loop: 'for(;;);',
  'loop try': 'for(;;){try{for(;;);}catch{}finally{continue}}',
  'loop getter': 'return {get a(){for(;;);}}',
  'loop toJSON': 'return {toJSON(){for(;;);}}',
  'loop in a getter of an error': 'throw {get message(){for(;;);}}',
  'loop in toString of an error': 'throw {toString(){for(;;);}}',
  'loop proxy err': 'throw new Proxy({}, {get(){for(;;);}})',
  'loop in a comparator': 'return [3,2,1].sort(()=>{for(;;);})',
  'loop native concat': "let s='';for(let i=0;i<1e9;i++)s='a'.concat('b','c');return s",
  'big sort': 'const a=Array.from({length:6e5},(_, i)=>(i*7919)%600011);return a.sort().length',
  'big sort str': "const a=Array.from({length:1e5},(_, i)=>'x'.repeat(50)+i);for(;;)a.sort()",
  'str split': "return 'a'.repeat(5e6).split('').length",
  'str replaceAll': "return 'a'.repeat(5e6).replaceAll('a','').length",
  'str indexOf quad': "const h='a'.repeat(4e6),n='a'.repeat(2e6)+'b';return h.indexOf(n)",
  'str lastIndexOf': "const h='a'.repeat(4e6),n='b'+'a'.repeat(2e6);return h.lastIndexOf(n)",
  'str includes loop': "const h='a'.repeat(4e6),n='a'.repeat(2e6)+'b';for(;;)h.includes(n)",
  normalize: String.raw`return '\u0344'.repeat(2e6).normalize('NFKD').length`,
  localeCompare: String.raw`const a='\u0344'.repeat(1e6);for(;;)a.localeCompare(a+'b')`,
  'string comparison': "const a='a'.repeat(8e6),b='a'.repeat(8e6);for(;;)a<b",
  'json big loop':
    'const s=JSON.stringify(Array.from({length:2e5},(_, i)=>i));for(;;)JSON.parse(s)',
  'date parse': "for(;;)Date.parse('x'.repeat(1e6))",
  'typed array sort':
    'const t=new Float64Array(1e6);for(let i=0;i<1e6;i++)t[i]=-i;for(;;)t.sort((a,b)=>a-b)',
  'typed array fill': 'const t=new Uint8Array(8e6);for(;;)t.fill(1)',
  'typed array copyWithin': 'const t=new Uint8Array(8e6);for(;;)t.copyWithin(1,0)',
  'copyWithin arraylike': 'return Array.prototype.copyWithin.call({length:2**53-1},1,0)',
  finalizers:
    'const r=new FinalizationRegistry(()=>{for(;;);});for(let i=0;i<1e5;i++)r.register({},1);await tools.a.b({});return 1',
  'loop in an input getter': String.raw`Object.defineProperty(input??{}, "x", {get(){for(;;);}});for(;;)await sleep(0)`,
  'placeholder loop': 'for(;;)tools.a',
  'loop in arguments': 'await tools.a.b({get x(){for(;;);}})',
  'loop in a log': 'log({toJSON(){for(;;);}})',
  'endless jobs': 'await parallel({*[Symbol.iterator](){for(;;)yield 1}})',
  'loop after the result': '(async()=>{await 0;for(;;);})();1',
  'loop in then': '({then(){for(;;);}})',
}

/** Scripts that exhaust the stack. */
const STACK = {
  recursion: 'const f=()=>f()+1; return f()',
  'recursion catch': 'const f=()=>{try{f()}catch{f()}}; f(); return 1',
  'recursion tostring': "const a=[];a[0]=a;const o={toString(){return ''+o}};return ''+o",
  'proxy chain': 'let p={};for(let i=0;i<1e5;i++)p=new Proxy(p,{});return p.x',
  'proto chain': 'let p={};for(let i=0;i<1e5;i++)p=Object.create(p);return p.x===undefined',
  'bind chain': 'let f=()=>1;for(let i=0;i<1e5;i++)f=f.bind();return f()',
  'json nest parse': "return JSON.parse('['.repeat(1e5)+']'.repeat(1e5)).length",
  'json nest stringify': 'let a=[];for(let i=0;i<1e5;i++)a=[a];return a',
  'eval nest': "return eval('('.repeat(1e5)+'1'+')'.repeat(1e5))",
  'eval nest arr': "return eval('['.repeat(3e4)+']'.repeat(3e4)).length",
  'regexp nest': "return new RegExp('(?:'.repeat(1e5)+')'.repeat(1e5)).test('')",
  'long chain collected': 'let o=null;for(let i=0;i<2e5;i++)o={o};o=null;return 1',
  'chain of closures collected':
    'let f=null;for(let i=0;i<5e4;i++){const g=f;f=()=>g};f=null;return 1',
  'deep arguments': 'let a={};for(let i=0;i<1e5;i++)a={a};await tools.a.b(a)',
  'deep result of a getter': 'const f=(n)=>({get x(){return f(n+1)}});f(0)',
}

/** Scripts that flood the host with output or calls. */
const OUTPUT = {
  'out huge': "return 'x'.repeat(6e6)",
  'out logs': "for(let i=0;i<1e5;i++)console.log('x'.repeat(4000));return 1",
  'out args': "return await tools.a.b({x:'y'.repeat(4e6)})",
  'call flood': 'for(let i=0;i<1e6;i++)tools.a.b({i});await 0;return 1',
  'call flood await': 'for(;;)await tools.a.b({})',
  'empty logs': String.raw`for(let i=0;i<1e6;i++)log("");1`,
  'huge error': String.raw`throw new Error("x".repeat(5e6))`,
  'huge error name': String.raw`throw Object.assign(new Error("x"),{name:"y".repeat(5e6)})`,
  'huge error data': String.raw`throw Object.assign(new Error("x"),{data:Array(1e5).fill("y")})`,
  'huge keep': String.raw`await keep("x".repeat(12e6))`,
  sleepers: 'await Promise.all(Array.from({length:1e5},()=>sleep(1)))',
}

/** Scripts that try to reach the host; each must end as if there were none. */
const HOST: Readonly<Record<string, readonly [source: string, ends: string]>> = {
  Atomics: ['typeof Atomics', '"undefined"'],
  'prototypes in JSON': [
    'const o=JSON.parse(\'{"__proto__":{"polluted":1}}\');[o.polluted??null,{}.polluted??null]',
    '[null,null]',
  ],
  'other JSON functions': [
    'JSON.stringify=()=>\'"owned"\';JSON.parse=()=>1;return {a:await tools.a.b({z:1})}',
    '{"a":{"z":1}}',
  ],
  'other Map functions': [
    'Map.prototype.get=()=>1;Array.prototype.map=()=>1;return await tools.a.b({z:1})',
    '{"z":1}',
  ],
  'another Reflect': [
    'Reflect.apply=()=>({resolve(){},reject(){}});return await tools.a.b({z:1})',
    '{"z":1}',
  ],
  'the function of the host': [
    '[typeof send,Object.getOwnPropertyNames(globalThis).filter((k)=>/send|settle|watch|seed/.test(k))]',
    '["undefined",[]]',
  ],
  'caller of the prelude': [
    'const f=tools.a.b;let c="none";try{c=String(f.caller)}catch(e){c=e.name}\nc==="none"||c==="TypeError"||c==="undefined"||c==="null"',
    'true',
  ],
  'the Function constructor': [
    'new Function("return typeof process+typeof require+typeof fetch+typeof globalThis.module")()',
    '"undefinedundefinedundefinedundefined"',
  ],
  'constructor of a tool': [
    'tools.a.constructor("return typeof process").then(()=>"answered",()=>"refused")',
    '"answered"',
  ],
  'constructor of a log': ['log.constructor("return typeof process")()', '"undefined"'],
  'constructor of an error': [
    'try{null.x}catch(e){e.constructor.constructor("return typeof process")()}',
    '"undefined"',
  ],
  'dynamic import': ["import('fs').then(()=>'loaded',()=>'refused')", '"refused"'],
  'import of the host': [
    "import('node:child_process').then(()=>'loaded',()=>'refused')",
    '"refused"',
  ],
  'stacks of the host': [
    'try{null.x}catch(e){return /node_modules|worker|file:/.test(e.stack)}',
    'false',
  ],
  'stack of a refused argument': [
    'tools.a.b({toJSON(){throw new Error("x")}}).catch((e)=>/node_modules|worker|file:/.test(e.stack))',
    'false',
  ],
  prepareStackTrace: [
    'Error.prepareStackTrace=(_,s)=>s;let f;try{null.x}catch(e){f=e.stack};/node_modules|worker|file:/.test(String(f))',
    'false',
  ],
  'a forged answer': [
    'const p=tools.a.open({});const all=Object.getOwnPropertySymbols(p).length;[all,p instanceof Promise]',
    '[0,true]',
  ],
  'globals of the worker': [
    '["parentPort","workerData","Buffer","performance","WebAssembly","SharedArrayBuffer"].map((k)=>typeof globalThis[k]).slice(0,3)',
    '["undefined","undefined","undefined"]',
  ],
  'a tool named __proto__': [
    'tools.__proto__.__proto__({}).then(()=>"answered",()=>"refused")',
    '"answered"',
  ],
  'a server named then': ['[typeof tools.then,typeof tools.a.then]', '["undefined","undefined"]'],
  'new tools': [
    'try{tools.x=1;Object.defineProperty(tools,"y",{value:1})}catch{}typeof tools.y',
    '"object"',
  ],
  'state of another script': ['[typeof globalThis.left,globalThis.left=1]', '["undefined",1]'],
  'state left by another script': ['typeof globalThis.left', '"undefined"'],
}

const GROUPS = { memory: MEMORY, time: TIME, stack: STACK, output: OUTPUT }

export const HOSTILE_SCRIPTS: readonly HostileScript[] = [
  ...Object.entries(GROUPS).flatMap(([group, scripts]) =>
    Object.entries(scripts).map(([name, source]) => ({ name: `${group}: ${name}`, source })),
  ),
  ...Object.entries(HOST).map(([name, [source, ends]]) => ({
    name: `host: ${name}`,
    source,
    ends,
  })),
]
