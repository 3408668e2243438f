/**
 * A second reader of OpenAPI 3 and Swagger 2, written from their specifications alone: it shares no
 * code with the importer, so that comparing the two shows mistakes.
 */
export type Json = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {}
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export type Place = 'path' | 'query' | 'header' | 'cookie'

export interface ReadParameter {
  readonly name: string
  readonly place: Place
  readonly required: boolean
  readonly schema: unknown
  readonly style: string
  readonly explode: boolean
  /** Whether the value is sent as one JSON document. */
  readonly isJson: boolean
}

export interface ReadMedia {
  readonly type: string
  readonly schema: unknown
  readonly encoding: Json
}

export interface ReadOperation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly ReadParameter[]
  /** The alternative forms of the body; empty if there is none. */
  readonly bodies: readonly ReadMedia[]
  /** Whether it has other servers than the rest of the API. */
  readonly elsewhere: boolean
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export class Reading {
  readonly root: Json
  readonly isSwagger2: boolean

  constructor(root: Json) {
    this.root = root
    this.isSwagger2 = root.swagger !== undefined
  }

  /** Resolves any number of references within the document. */
  follow(value: unknown): Json {
    let current = value
    for (let steps = 0; steps < 50; steps++) {
      const pointer = record(current).$ref
      if (typeof pointer !== 'string') return record(current)
      if (!pointer.startsWith('#')) return {}
      current = this.#at(pointer.slice(1))
    }
    return {}
  }

  #at(pointer: string): unknown {
    let current: unknown = this.root
    for (const part of pointer.split('/').slice(1)) {
      const key = unescape(part)
      current = Array.isArray(current) ? current[Number(key)] : record(current)[key]
    }
    return current
  }

  *operations(): Generator<ReadOperation> {
    for (const [path, rawItem] of Object.entries(record(this.root.paths))) {
      const item = this.follow(rawItem)
      for (const method of METHODS) {
        const operation = item[method]
        if (isRecord(operation)) yield this.#operation(path, method, item, operation)
      }
    }
  }

  #operation(path: string, method: string, item: Json, operation: Json): ReadOperation {
    const all = new Map<string, Json>()
    for (const raw of [...items(item.parameters), ...items(operation.parameters)]) {
      const one = this.follow(raw)
      all.set(`${String(one.in)}/${String(one.name)}`, one)
    }
    const listed = [...all.values()]
    const [, query = ''] = path.split(/\?([^#]*)/)
    const parameters = listed
      .flatMap((one) => this.#parameter(one))
      .map((one) => (query.includes(`{${one.name}}`) ? asVariable(one) : one))
    const undeclared = [...path.replace(/#.*/s, '').matchAll(/\{([^{}/]+)\}/g)]
      .map(([, name = '']) => name)
      .filter((name) => !parameters.some((one) => one.place === 'path' && one.name === name))
    return {
      method,
      path,
      parameters: [...parameters, ...[...new Set(undeclared)].map(pathVariable)],
      bodies: this.isSwagger2 ? this.#swaggerBodies(operation, listed) : this.#bodies(operation),
      elsewhere: items(operation.servers).length + items(item.servers).length > 0,
    }
  }

  #parameter(one: Json): ReadParameter[] {
    const place = PLACES.find((each) => each === one.in)
    const name = typeof one.name === 'string' ? one.name : ''
    if (place === undefined || name === '') return []
    // OpenAPI says that parameters for these three headers are ignored.
    if (place === 'header' && /^(accept|content-type|authorization)$/i.test(name)) return []
    const required = one.required === true || place === 'path'
    const how = this.isSwagger2 ? swaggerStyle(one, place) : openApiStyle(one, place)
    const [media] = Object.values(record(one.content))
    const schema = this.isSwagger2 ? one : media === undefined ? one.schema : record(media).schema
    return [{ name, place, required, schema, isJson: media !== undefined, ...how }]
  }

  #bodies(operation: Json): ReadMedia[] {
    const content = record(this.follow(operation.requestBody).content)
    return Object.entries(content).map(([type, raw]) => {
      const media = record(raw)
      return { type, schema: media.schema, encoding: record(media.encoding) }
    })
  }

  #swaggerBodies(operation: Json, parameters: readonly Json[]): ReadMedia[] {
    const consumes = items(operation.consumes ?? this.root.consumes).map(String)
    const whole = parameters.find((one) => one.in === 'body')
    if (whole) {
      const types = consumes.length > 0 ? consumes : ['application/json']
      return types.map((type) => ({ type, schema: whole.schema, encoding: {} }))
    }
    const fields = parameters.filter((one) => one.in === 'formData')
    if (fields.length === 0) return []
    const hasFile = fields.some((one) => one.type === 'file')
    const properties = Object.fromEntries(fields.map((one) => [String(one.name), one]))
    const encoding = Object.fromEntries(
      fields.map((one) => [String(one.name), swaggerStyle(one, 'query')]),
    )
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    const types = hasFile
      ? ['multipart/form-data']
      : ['application/x-www-form-urlencoded', 'multipart/form-data']
    return types.map((type) => ({ type, schema, encoding }))
  }
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const

/** A query parameter that is a variable of the path template is only sent there. */
function asVariable(one: ReadParameter): ReadParameter {
  return one.place === 'query' ? { ...pathVariable(one.name), schema: one.schema } : one
}

function pathVariable(name: string): ReadParameter {
  const how = { style: 'simple', explode: false, isJson: false }
  return { name, place: 'path', required: true, schema: { type: 'string' }, ...how }
}

function openApiStyle(one: Json, place: Place): { style: string; explode: boolean } {
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const style = typeof one.style === 'string' ? one.style : usual
  return { style, explode: typeof one.explode === 'boolean' ? one.explode : style === 'form' }
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
}

function swaggerStyle(one: Json, place: Place): { style: string; explode: boolean } {
  const format = typeof one.collectionFormat === 'string' ? one.collectionFormat : 'csv'
  const usual = place === 'query' ? 'form' : 'simple'
  return { style: COLLECTIONS[format] ?? usual, explode: format === 'multi' }
}

function unescape(part: string): string {
  let plain = part
  try {
    plain = decodeURIComponent(part)
  } catch {
    // An invalid percent encoding is kept as it is.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}
