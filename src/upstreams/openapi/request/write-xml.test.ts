import { parseDocument } from 'htmlparser2'
import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi, fine } from '../../../../test/support/an-api.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { writeXml } from './write-xml.ts'

const text = { type: 'string' }

async function sent(schema: JsonObject, body: unknown, more: JsonObject = {}): Promise<string> {
  const requestBody = { content: { 'application/xml': { schema } } }
  const paths = { '/x': { post: { operationId: 'x', requestBody, responses: {} } } }
  await using api = await anApi(fine, {}, aSpec(paths, more))
  await api.call({ body }, 'x')
  expect(api.server.seen[0]?.headers['content-type']).toBe('application/xml')
  return api.server.seen[0]?.body.replace('<?xml version="1.0" encoding="UTF-8"?>\n', '') ?? ''
}

const pet = {
  type: 'object',
  xml: { name: 'pet', namespace: 'http://x.org/"pets"', prefix: 'p' },
  properties: {
    id: { type: 'integer', xml: { attribute: true } },
    name: { ...text, xml: { name: 'petName' } },
    tags: { type: 'array', xml: { wrapped: true }, items: { ...text, xml: { name: 'tag' } } },
    photos: { type: 'array', items: text },
    owner: { $ref: '#/components/schemas/Owner' },
  },
}
const components = {
  schemas: {
    Pet: pet,
    Owner: { type: 'object', properties: { pet: { $ref: '#/components/schemas/Pet' } } },
  },
}

it('writes elements, attributes, lists and namespaces as the description names them', async () => {
  const body = {
    id: 7,
    name: '1<2 & "3"',
    tags: ['a', 'b'],
    photos: ['x', 'y'],
    owner: { pet: { name: 'Rex' } },
  }
  const xml = await sent({ $ref: '#/components/schemas/Pet' }, body, { components })
  expect(xml).toBe(
    '<p:pet xmlns:p="http://x.org/&quot;pets&quot;" id="7"><petName>1&lt;2 &amp; &quot;3&quot;</petName>' +
      '<tags><tag>a</tag><tag>b</tag></tags><photos>x</photos><photos>y</photos>' +
      '<owner><p:pet xmlns:p="http://x.org/&quot;pets&quot;"><petName>Rex</petName></p:pet></owner></p:pet>',
  )
  const [root] = parseDocument(xml, { xmlMode: true }).children
  expect(root).toMatchObject({ name: 'p:pet', attribs: { id: '7' } })
})

it('calls a document without a name like its type, and sends ready XML as it is', async () => {
  const schema = { $ref: '#/components/schemas/Owner' }
  expect(await sent(schema, { name: 'Ada' }, { components })).toBe(
    '<Owner><name>Ada</name></Owner>',
  )
  expect(await sent({ type: 'string' }, '<a b="1"/>')).toBe('<a b="1"/>')
})

it('declares the namespaces of prefixes, also of fields without a name, attributes and lists', async () => {
  const sample = { namespace: 'urn:sample', prefix: 's' }
  const schema = {
    type: 'object',
    xml: { name: 'doc', ...sample },
    properties: {
      name: { ...text, xml: sample },
      lang: { ...text, xml: { attribute: true, prefix: 'xml' } },
      kind: { ...text, xml: { attribute: true, ...sample } },
      all: { type: 'array', xml: { wrapped: true, ...sample }, items: text },
      some: { type: 'array', xml: sample, items: text },
      head: { ...text, xml: { name: 'soap:Header', namespace: 'urn:soap' } },
    },
  }
  const body = { name: 'a', lang: 'de', kind: 'b', all: ['x'], some: ['y'], head: 'z' }
  expect(await sent(schema, body)).toBe(
    '<s:doc xmlns:s="urn:sample" xml:lang="de" s:kind="b">' +
      '<s:name xmlns:s="urn:sample">a</s:name>' +
      '<s:all xmlns:s="urn:sample"><all>x</all></s:all>' +
      '<s:some xmlns:s="urn:sample">y</s:some>' +
      '<soap:Header xmlns:soap="urn:soap">z</soap:Header></s:doc>',
  )
})

it('writes one root around a list', async () => {
  const items = { type: 'object', xml: { name: 'user' } }
  expect(await sent({ type: 'array', xml: { name: 'users' }, items }, [{ a: 1 }, { a: 2 }])).toBe(
    '<users><user><a>1</a></user><user><a>2</a></user></users>',
  )
})

it('takes the names of combined schemas', async () => {
  const id = {
    type: 'object',
    xml: { name: 'user' },
    properties: { id: { xml: { attribute: true } } },
  }
  const other = { properties: { id: { xml: { name: 'number' } } } }
  for (const combined of [
    { allOf: [id, { type: 'object' }] },
    { oneOf: [id, other] },
    { anyOf: [id] },
  ]) {
    expect(await sent(combined, { id: 7 })).toBe('<user id="7"/>')
  }
})

it('keeps the line breaks of texts and attributes', async () => {
  const schema = { xml: { name: 'a' }, properties: { b: { xml: { attribute: true } } } }
  expect(await sent(schema, { b: 'x\n\ty', c: 'x\r\ny' })).toBe(
    '<a b="x&#10;&#9;y"><c>x&#13;\ny</c></a>',
  )
})

it('leaves out characters that XML cannot hold', async () => {
  expect(await sent({ type: 'object', xml: { name: 'a' } }, { b: 'x\u0000\u000by\n' })).toBe(
    '<a><b>xy\n</b></a>',
  )
})

it('names no element after what every object has', () => {
  const names = { name: 'a', properties: { b: { name: 'c' } } }
  expect(writeXml({ constructor: 1 }, names)).toContain('<a><constructor>1</constructor></a>')
})
