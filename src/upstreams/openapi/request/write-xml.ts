import { isObject } from '../../../base/json/json.ts'
import type { XmlNames } from '../tools/xml-names.ts'
import { scalar } from './serialize-parameter.ts'

/** Writes a value as XML with the names of the description; a string is taken as XML already. */
export function writeXml(value: unknown, names: XmlNames = {}): string {
  if (typeof value === 'string') return value
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(names.name ?? 'root', value, names)}`
}

function element(name: string, value: unknown, names: XmlNames): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return list(name, value, names)
  const start = name + namespaceOf(name, names)
  if (value === null) return `<${start}/>`
  if (!isObject(value)) return `<${start}>${escape(scalar(value))}</${name}>`
  let attributes = ''
  let children = ''
  for (const [key, each] of Object.entries(value)) {
    const inner = namesOf(key, names)
    const tag = inner.name ?? key
    if (!inner.attribute) children += element(tag, each, inner)
    else if (each !== null) attributes += ` ${tag}="${escape(scalar(each))}"`
  }
  return `<${start}${attributes}>${children}</${name}>`
}

function namesOf(key: string, { properties = {} }: XmlNames): XmlNames {
  return (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? {}
}

function namespaceOf(name: string, { namespace }: XmlNames): string {
  if (namespace === undefined) return ''
  const prefix = name.includes(':') ? `:${name.split(':')[0]}` : ''
  return ` xmlns${prefix}="${escape(namespace)}"`
}

/** Items have the name that they declare, else that of their list. */
function list(name: string, values: readonly unknown[], names: XmlNames): string {
  const { items = {}, wrapped } = names
  const written = values.map((each) => element(items.name ?? name, each, items)).join('')
  return wrapped ? `<${name}>${written}</${name}>` : written
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Control characters and lone surrogates, which XML 1.0 cannot express. */
const UNWRITABLE = /[^\t\n\r -\uD7FF\uE000-\u{10FFFF}]/gu

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign).replaceAll(UNWRITABLE, '')
}
