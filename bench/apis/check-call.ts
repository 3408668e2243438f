import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { object, text } from '../../src/upstreams/openapi/spec/read-values.ts'
import type { DescribedBody, DescribedOperation, DescribedParameter, Place } from './document.ts'
import type { SeenRequest } from './mock-api.ts'

/** The values that a call was made with. */
export interface Sent {
  readonly parameters: ReadonlyMap<DescribedParameter, unknown>
  readonly body: unknown
}

type Pair = readonly [name: string, value: string | undefined]

/** Returns how a received request differs from the description; empty if it is correct. */
export async function problemsOf(
  seen: SeenRequest | undefined,
  { path, method, parameters, body }: DescribedOperation,
  sent: Sent,
): Promise<string[]> {
  if (!seen) return ['nothing arrived']
  const problems: string[] = []
  if (seen.method !== method) problems.push(`method ${seen.method}`)
  const [pathname = '', search = ''] = seen.url.replace(/^\/base/, '').split('?')
  const inPath = matchPath(path.replace(/#.*$/s, ''), pathname)
  if (!inPath) return [...problems, `path ${pathname} is not ${path}`]
  const places: Record<Place, readonly Pair[]> = {
    path: inPath,
    query: queryOf(search),
    header: headersOf(seen),
    cookie: headersOf(seen),
  }
  for (const parameter of parameters) {
    const value = sent.parameters.get(parameter)
    if (value === undefined) continue
    if (!arrived(parameter, value, places[parameter.in]))
      problems.push(`${parameter.in} ${parameter.name} did not arrive as ${JSON.stringify(value)}`)
  }
  if (body && sent.body !== undefined) problems.push(...(await bodyProblems(seen, body, sent.body)))
  return problems
}

function queryOf(search: string): Pair[] {
  return search
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', value] = pair.split('=').map(decode)
      return [name, value]
    })
}

function headersOf({ headers }: SeenRequest): Pair[] {
  return Object.entries(headers).map(([name, value]) => [name, value?.toString()])
}

function matchPath(template: string, pathname: string): Pair[] | undefined {
  const names: string[] = []
  const pattern = template
    .split(/(\{[^}]+\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
      names.push(part.slice(1, -1))
      return '([^/]*?)'
    })
    .join('')
  const match = new RegExp(`^${pattern.replace(/^(?!\/)/, '/')}$`).exec(pathname)
  return match?.slice(1).map((value, n) => [names[n] ?? '', decode(value)])
}

/** How a parameter is serialised, and how to read its values. */
interface Writing {
  readonly name: string
  readonly style: string
  readonly isSpread: boolean
  /** All values under a name, in their order. */
  readonly of: (name: string) => (string | undefined)[]
}

function arrived(parameter: DescribedParameter, value: unknown, pairs: readonly Pair[]): boolean {
  const { raw } = parameter
  if (parameter.in === 'cookie')
    return pairs.some(([key, each]) => key === 'cookie' && each?.includes(`${parameter.name}=`))
  const style = styleOf(parameter)
  const explode = raw.explode ?? explodes(raw, style)
  const isHeader = parameter.in === 'header'
  const of = (name: string) =>
    pairs.filter(([key]) => key === (isHeader ? name.toLowerCase() : name)).map(([, each]) => each)
  const how = {
    name: parameter.name,
    style,
    isSpread: explode === true && parameter.in === 'query',
    of,
  }
  if (isObject(raw.content)) return isDeepStrictEqual(parse(of(parameter.name)[0] ?? ''), value)
  if (Array.isArray(value)) return listArrived(value, how)
  if (isObject(value)) return objectArrived(value, how)
  return of(parameter.name).includes(scalar(value))
}

const SWAGGER_STYLES: Readonly<Record<string, string>> = {
  pipes: 'pipeDelimited',
  ssv: 'spaceDelimited',
  tsv: 'spaceDelimited',
}

function styleOf({ in: place, raw: { style, collectionFormat } }: DescribedParameter) {
  const usual = place === 'query' ? 'form' : 'simple'
  return text(style) || (SWAGGER_STYLES[text(collectionFormat)] ?? usual)
}

function explodes({ collectionFormat, type }: JsonObject, style: string): boolean {
  if (collectionFormat !== undefined) return collectionFormat === 'multi'
  return style === 'form' && type === undefined
}

const SEPARATORS: Readonly<Record<string, string>> = { pipeDelimited: '|', spaceDelimited: ' ' }

function listArrived(value: readonly unknown[], { name, style, isSpread, of }: Writing): boolean {
  const written = value.map(scalar)
  if (style === 'deepObject')
    return leaves(value).every(([at, leaf]) => of(name + at).includes(leaf))
  if (isSpread) return isDeepStrictEqual(of(name), written)
  if (written.length === 0) return of(name).length === 0
  return of(name)[0] === written.join(SEPARATORS[style] ?? ',')
}

function objectArrived(value: JsonObject, { name, style, isSpread, of }: Writing): boolean {
  if (style === 'deepObject')
    return leaves(value).every(([at, leaf]) => of(name + at).includes(leaf))
  if (isSpread) return Object.entries(value).every(([key, each]) => of(key).includes(scalar(each)))
  const joined = Object.entries(value).flatMap(([key, each]) => [key, scalar(each)])
  return joined.length === 0 || of(name)[0] === joined.join(',')
}

async function bodyProblems(
  seen: SeenRequest,
  { type, encoding }: DescribedBody,
  value: unknown,
): Promise<string[]> {
  const sentType = seen.headers['content-type'] ?? ''
  if (/[/+]json\b|^\*\/\*/.test(type)) {
    return isDeepStrictEqual(parse(seen.body.toString()), value) ? [] : ['the JSON body differs']
  }
  if (type.includes('urlencoded')) {
    const pairs = [...new URLSearchParams(seen.body.toString())]
    return leavesOfForm(object(value), encoding).flatMap(([name, leaf]) =>
      pairs.some(([key, each]) => key === name && each === leaf)
        ? []
        : [`form field ${name} is missing`],
    )
  }
  if (type.startsWith('multipart/')) {
    if (!sentType.startsWith('multipart/form-data; boundary=')) return ['not multipart']
    const form = await new Request('http://x', {
      method: 'POST',
      headers: { 'content-type': sentType },
      body: seen.body,
    }).formData()
    return Object.entries(object(value)).flatMap(([name, each]) => {
      const isEmpty = Array.isArray(each) && each.length === 0
      return form.has(name) || isEmpty ? [] : [`part ${name} is missing`]
    })
  }
  return seen.body.length > 0 ? [] : ['the body is empty']
}

type Leaf = readonly [path: string, text: string]

/** Returns every scalar with its path in bracket notation. */
function leaves(value: unknown, at = ''): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((each, n) => leaves(each, `${at}[${n}]`))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, each]) => leaves(each, `${at}[${key}]`))
  return [[at, scalar(value)]]
}

function leavesOfForm(value: JsonObject, encoding: JsonObject): Leaf[] {
  return Object.entries(value).flatMap(([name, each]): Leaf[] => {
    const { style, explode = true } = object(encoding[name])
    const isPlainList = Array.isArray(each) && each.every((item) => typeof item !== 'object')
    if (!isPlainList || style === 'deepObject') return leaves(each, name)
    if (explode === true) return each.map((item) => [name, scalar(item)])
    return each.length > 0 ? [[name, each.map(scalar).join(',')]] : []
  })
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function decode(encoded: string): string {
  return decodeURIComponent(encoded.replaceAll('+', '%2B'))
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
