/** The values with which a request was made. */
import { isDeepStrictEqual } from 'node:util'
import { type Arrived, type Pair, comparePairs, plain, queryPairs } from './wire-pairs.ts'
import { bodyDifferences } from './wire-body.ts'
import { type ReadOperation, type ReadParameter, type Reading, isRecord } from './reading.ts'

export interface Given {
  readonly values: ReadonlyMap<ReadParameter, unknown>
  /** `undefined` when no body is sent. */
  readonly body: unknown
}

/** Returns how a received request differs from the expected one; empty if it is exact. */
export async function differences(
  reading: Reading,
  operation: ReadOperation,
  given: Given,
  arrived: Arrived | undefined,
): Promise<string[]> {
  if (!arrived) return ['nothing arrived']
  const [template = ''] = operation.path.split('#')
  const [pathTemplate = '', ...queryTemplate] = template.split('?')
  const [pathname = '', search = ''] = arrived.url
    .replace(/^\/base(?=\/|\?|$)/, '')
    .split(/\?(.*)/s)
  return [
    ...(arrived.method.toLowerCase() === operation.method ? [] : [`method ${arrived.method}`]),
    ...pathDifferences(pathTemplate, pathname, given),
    ...queryDifferences(queryTemplate.join('?'), search, operation, given),
    ...headerDifferences(arrived, given),
    ...(await bodyDifferences(reading, operation.bodies, given.body, arrived)),
  ]
}

function pathDifferences(template: string, pathname: string, given: Given): string[] {
  const expected = template
    .split('/')
    .map((part) => fill(part, given))
    .filter(Boolean)
  const found = pathname.split('/').map(decode).filter(Boolean)
  return isDeepStrictEqual(expected, found)
    ? []
    : [`path ${pathname} instead of ${expected.join('/')}`]
}

function fill(template: string, { values }: Given): string {
  let text = template
  for (const [parameter, value] of values) {
    if (parameter.place === 'path')
      text = text.replaceAll(`{${parameter.name}}`, () => pathText(parameter, value))
  }
  return text
}

function pathText({ name, style, explode, isJson }: ReadParameter, value: unknown): string {
  if (isJson) return JSON.stringify(value)
  const list = Array.isArray(value) ? value.map(plain) : undefined
  const fields = isRecord(value) ? Object.entries(value) : undefined
  if (style === 'matrix') {
    if (list)
      return explode ? list.map((one) => `;${name}=${one}`).join('') : `;${name}=${list.join(',')}`
    return `;${name}=${plain(value)}`
  }
  const prefix = style === 'label' ? '.' : ''
  if (list) return prefix + list.join(style === 'label' && explode ? '.' : ',')
  if (fields)
    return (
      prefix + fields.map(([key, one]) => [key, plain(one)].join(explode ? '=' : ',')).join(',')
    )
  return prefix + plain(value)
}

function queryDifferences(
  template: string,
  search: string,
  { parameters }: ReadOperation,
  given: Given,
): string[] {
  const expected: Pair[] = pairsOf(template).map(([name, value]) => [name, fill(value, given)])
  for (const [parameter, value] of given.values)
    if (parameter.place === 'query') expected.push(...queryPairs(parameter, value))
  // Required defaults may be sent for parameters that were not given.
  const unsaid = parameters.filter((one) => one.place === 'query' && !given.values.has(one))
  const found = pairsOf(search).filter(([name]) => !unsaid.some((one) => one.name === name))
  return comparePairs('query', expected, found)
}

function headerDifferences({ headers }: Arrived, { values }: Given): string[] {
  const cookies = (headers.cookie ?? '').split('; ').map(decode)
  return [...values].flatMap(([parameter, value]) => {
    const { name, place } = parameter
    if (place === 'cookie') {
      const wanted = queryPairs(parameter, value).map((pair) => pair.join('='))
      return wanted.every((one) => cookies.includes(one)) ? [] : [`cookie ${name}`]
    }
    if (place !== 'header') return []
    const text = pathText({ ...parameter, style: 'simple' }, value).trim()
    const found = headers[name.toLowerCase()] ?? ''
    return found === text ? [] : [`header ${name}: ${found} instead of ${text}`]
  })
}

function pairsOf(search: string): Pair[] {
  return search
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return [decode(name), decode(rest.join('='))]
    })
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
