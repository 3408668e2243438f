import { isObject } from '../../../base/json/json.ts'
import type { XmlNames } from '../spec/xml-names.ts'
import { scalar } from './serialize-parameter.ts'

/** Writes a value as XML with the names of the description; a string is taken as XML already. */
export function writeXml(value: unknown, names: XmlNames = {}): string {
  if (typeof value === 'string') return value
  // A document has one root, so a list needs an element around it.
  const root = Array.isArray(value) ? { ...names, wrapped: true as const } : names
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', value, root)}`
}

/** Writes one element; `field` is its name where the description gives it none. */
function element(field: string, value: unknown, names: XmlNames): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return list(field, value, names)
  const attributes = new Map(namespaceOf(names))
  let content = ''
  if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      const inner = namesOf(key, names)
      if (!inner.attribute) content += element(key, each, inner)
      else for (const [name, written] of attribute(key, each, inner)) attributes.set(name, written)
    }
  } else if (value !== null) content = escape(scalar(value))
  return tags(tagOf(field, names), attributes, content)
}

function tags(name: string, attributes: Iterable<Attribute>, content: string): string {
  const start = [name, ...[...attributes].map(([key, value]) => `${key}="${inQuotes(value)}"`)]
  return content ? `<${start.join(' ')}>${content}</${name}>` : `<${start.join(' ')}/>`
}

type Attribute = readonly [name: string, value: string]

/** Returns an attribute, with the namespace of its prefix. */
function attribute(key: string, value: unknown, names: XmlNames): readonly Attribute[] {
  if (value === null || value === undefined) return []
  const namespace = names.prefix === undefined ? [] : namespaceOf(names)
  return [...namespace, [tagOf(key, names), scalar(value)]]
}

function tagOf(field: string, { name = field, prefix }: XmlNames): string {
  return prefix === undefined ? name : `${prefix}:${name}`
}

function namesOf(key: string, { properties = {} }: XmlNames): XmlNames {
  return (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? {}
}

function namespaceOf({ namespace, prefix }: XmlNames): readonly Attribute[] {
  if (namespace === undefined) return []
  return [[prefix === undefined ? 'xmlns' : `xmlns:${prefix}`, namespace]]
}

/** Items have the name that they declare, else that of their list. */
function list(field: string, values: readonly unknown[], names: XmlNames): string {
  const { items = {}, wrapped, ...own } = names
  const each = wrapped || items.name !== undefined ? items : { ...own, ...items }
  const written = values.map((value) => element(own.name ?? field, value, each)).join('')
  return wrapped ? tags(tagOf(field, names), namespaceOf(names), written) : written
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Control characters and lone surrogates, which XML 1.0 cannot express. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\u{10FFFF}]/gu

/** A parser reads a carriage return as a line feed, unless it is written as a reference. */
function escape(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(UNWRITABLE, '')
    .replaceAll('\r', '&#13;')
}

/** In an attribute, a parser reads tabs and line feeds as spaces too. */
function inQuotes(text: string): string {
  return escape(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')
}
