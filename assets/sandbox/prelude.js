/** Whole numbers that a double cannot hold arrive as BigInt, and leave as their digits. */
const isWide = (value, context) =>
  typeof value === 'number' &&
  context !== undefined &&
  !Number.isSafeInteger(value) &&
  /^-?\d+$/.test(context.source)

/**
 * Runs once inside the virtual machine, before the image is taken that every script starts from. It
 * takes hold of the language's own functions first: a script that replaces JSON or Promise fools
 * nobody but itself. `send` is the only function of the host, and only text goes through it: what it
 * is, in words, and its content. Every text that crosses the line costs microseconds, hence two.
 */
export default function prelude(send) {
  const { parse, stringify, rawJSON } = JSON
  const { apply } = Reflect
  const { defineProperty, fromEntries } = Object
  const OwnPromise = Promise
  /** @type {new (begin: (resolve: Function, reject: Function) => void) => object} */
  const Pending = Promise
  const OwnError = Error
  const OwnProxy = Proxy
  const text = String

  const define = (owner, name, value) =>
    defineProperty(owner, name, { value, writable: true, configurable: true })

  // A reviver makes parsing several times slower, so the host says whether it is needed.
  const decode = (json, wide) =>
    wide
      ? parse(json, (_key, value, context) =>
          isWide(value, context) ? BigInt(context.source) : value,
        )
      : parse(json)
  const encode = (value) => stringify(value) ?? 'null'
  define(BigInt.prototype, 'toJSON', function toJSON() {
    return rawJSON(text(this))
  })
  // Without these, a result that is a Map or a Set would silently be an empty object.
  define(Map.prototype, 'toJSON', function toJSON() {
    return fromEntries(this)
  })
  define(Set.prototype, 'toJSON', function toJSON() {
    return [...this]
  })

  // Long native operations do not ask whether to stop, but the clock does (see guest-vm.ts): reading
  // it first makes loops over such operations stop in time.
  const tick = Date.now
  const MAX_ELEMENTS = 10_000_000
  const slow = [
    [JSON, ['parse', 'stringify']],
    [Date, ['parse']],
    [String.prototype, ['normalize', 'localeCompare']],
    [
      Array.prototype,
      [
        'join',
        'sort',
        'toSorted',
        'reverse',
        'toReversed',
        'copyWithin',
        'splice',
        'toSpliced',
        'concat',
        'flat',
        'toLocaleString',
      ],
    ],
  ]
  for (const [owner, names] of slow) {
    for (const name of names) {
      const native = owner[name]
      const guarded = {
        [name](...args) {
          tick()
          if (this?.length > MAX_ELEMENTS)
            throw new RangeError(`${name}: more than ${MAX_ELEMENTS} elements`)
          return apply(native, this, args)
        },
      }
      define(owner, name, guarded[name])
    }
  }

  // The state of the engine's own generator is part of the image that every script starts from, so
  // all would draw the same numbers. This is sfc32, seeded by the host.
  let [a, b, c, d] = [0, 0, 0, 0]
  const random = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }
  define(Math, 'random', random)

  // Requests to the host that have no answer yet.
  const waiting = Object.create(null)
  let count = 0
  // Neither this nor what calls a tool is async: each would make three more promises for every call.
  const ask = (operation, namesJson, value) =>
    new Pending((resolve, reject) => {
      const id = ++count
      // Made here, so that a failure points at the line that asked.
      const error = new OwnError('')
      const json = encode(value)
      waiting[id] = { resolve, reject, error }
      send(`ask ${id} ${operation} ${namesJson}`, json)
    })

  // Not a promise, or `await tools.x` would call a tool named "then".
  const named = (make) => {
    const made = Object.create(null)
    return new OwnProxy(Object.create(null), {
      get: (_target, key) =>
        typeof key !== 'string' || key === 'then' || key === 'toJSON'
          ? undefined
          : (made[key] ??= make(key)),
      set: () => false,
      defineProperty: () => false,
    })
  }

  // Stands for the answer of a call that a plan did not send: whatever is read from it is a
  // placeholder too, and as text it says what it stands for.
  const planned = (label) =>
    new OwnProxy(() => {}, {
      get(_target, key) {
        if (key === 'then') return undefined
        if (key === 'toJSON' || key === 'toString' || key === Symbol.toPrimitive) return () => label
        if (key === Symbol.iterator) return function* none() {}
        return typeof key === 'string' ? planned(`${label}.${key}`) : undefined
      },
      apply: () => planned(`${label}()`),
    })

  const parallel = async (jobs, { limit = 8 } = {}) => {
    const list = [...jobs]
    const results = []
    let next = 0
    const lane = async () => {
      while (next < list.length) {
        const index = next++
        const job = list[index]
        results[index] = await (typeof job === 'function' ? job() : job)
      }
    }
    const lanes = []
    const width = limit >= 1 ? limit : 1
    for (let index = 0; index < width && index < list.length; index++) lanes.push(lane())
    await OwnPromise.all(lanes)
    return results
  }

  const show = (value) => {
    try {
      return typeof value === 'string' ? value : encode(value)
    } catch {
      return text(value)
    }
  }
  const MAX_LINE_LENGTH = 4096
  const log = (...values) => {
    send('log', values.map(show).join(' ').slice(0, MAX_LINE_LENGTH))
  }

  const globals = {
    tools: named((server) =>
      named((tool) => {
        const names = encode([server, tool])
        return (args) => ask('tool', names, args ?? {})
      }),
    ),
    find: async (query, options) => ask('find', encode([text(query)]), options ?? {}),
    describe: async (name) => ask('describe', encode([text(name)]), null),
    keep: async (value) => ask('keep', '[]', value),
    read: async (handle, options) => ask('read', encode([text(handle)]), options ?? {}),
    select: async (value, expression) => ask('select', encode([text(expression)]), value),
    sleep: async (ms) => ask('sleep', '[]', Number(ms)),
    parallel,
    log,
    console: Object.freeze({ log, info: log, warn: log, error: log, debug: log }),
  }
  for (const [name, value] of Object.entries(globals)) define(globalThis, name, value)

  const MAX_MESSAGE_LENGTH = 4000
  const MAX_FAILURE_LENGTH = 32_000
  const placeOf = (error) => {
    const frames = text(error?.stack ?? '').match(/script(?:\+1)?\.ts:\d+:\d+/)
    return frames?.[0] ?? ''
  }
  const describeError = (error) => {
    try {
      return {
        name: text(error?.name ?? 'Error').slice(0, MAX_MESSAGE_LENGTH),
        message: text(error?.message ?? error).slice(0, MAX_MESSAGE_LENGTH),
        place: placeOf(error),
        data: error?.data,
      }
    } catch {
      return {
        name: 'Error',
        message: 'the script threw something that cannot be shown',
        place: '',
      }
    }
  }
  const encodeError = (error) => {
    const described = describeError(error)
    try {
      const json = encode(described)
      if (json.length <= MAX_FAILURE_LENGTH) return json
    } catch {}
    return encode({ ...described, data: undefined })
  }

  // What the host calls. It holds these as handles, so that no name can be put in their place.
  return {
    // `answered` is the number of the request and how it was answered (see `toCode` of guest-vm.ts).
    settle(answered, json) {
      const how = answered % 4
      const id = (answered - how) / 4
      const entry = waiting[id]
      if (entry === undefined) return
      delete waiting[id]
      if (how === 3) {
        entry.resolve(planned(json))
      } else if (how === 2) {
        const { name, message, data } = decode(json, false)
        const { error } = entry
        error.name = name
        error.message = message
        error.data = data
        error.code = data?.code
        entry.reject(error)
      } else {
        entry.resolve(decode(json, how === 1))
      }
    },
    // A script gives `{ value }`, whose value may be a promise; a function gives the value itself.
    async watch(promise, wrapped, longest) {
      try {
        const given = await promise
        const json = encode(wrapped ? given : await given.value)
        if (json.length > longest) send('too-long', text(json.length))
        else send('done', json)
      } catch (error) {
        send('failed', encodeError(error))
      }
    },
    seed(w, x, y, z) {
      ;[a, b, c, d] = [w, x, y, z]
      for (let round = 0; round < 12; round++) random()
    },
    input(json, wide) {
      define(globalThis, 'input', decode(json, wide))
    },
  }
}
