import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { serveHttp } from '../support/http-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RAW_ECHO = join(import.meta.dirname, '../support/raw-echo.mjs')
const LARGEST = '9223372036854775807'
const ID = '1234567890123456789'

const YAML = `
openapi: 3.0
info: { title: Rows, version: 1.0 }
servers:
  - url: http://127.0.0.1/{version}
    variables: { version: { default: 2.0 } }
paths:
  /rows:
    get:
      operationId: getRow
      parameters:
        - { name: id, in: query, required: true, schema: { type: integer, maximum: ${LARGEST}, default: ${ID} } }
        - { name: kind, in: query, required: true, schema: { type: string, enum: [1.10, 1.2], default: 1.10 } }
        - { name: owner, in: query, schema: { type: string, enum: [${ID}] } }
      responses: { 200: { description: ok } }
`
const JSON_SPEC = `{ "swagger": "2.0", "info": { "title": "Rows", "version": "1" }, "host": "x", "paths": {
  "/rows": { "get": { "operationId": "getRow", "responses": {}, "parameters": [
    { "name": "id", "in": "query", "required": true, "type": "integer", "default": ${ID} } ] } } } }`

it('numbers in schemas and descriptions keep their digits, also when they are read from a cache', async () => {
  await using api = await serveHttp((_, response) => void response.end('{}'))
  const folder = tempFolder()
  folder.write('api.yaml', YAML)
  folder.write('api.json', JSON_SPEC)
  folder.write('.mcp.json', {
    mcpServers: {
      child: { command: process.execPath, args: [RAW_ECHO] },
      yaml: { openapi: './api.yaml', baseUrl: api.url, allowPrivate: true },
      json: { openapi: './api.json', baseUrl: api.url, allowPrivate: true },
    },
  })
  for (let start = 1; start <= 2; start++) {
    const undo: (() => void | Promise<void>)[] = []
    const gateway = await startGateway(folder, [], {}, (one) => void undo.unshift(one))
    onTestFinished(async () => Promise.all(undo.map(async (one) => one())).then(() => undefined))
    const client = await openHttp('modern', `${gateway.url}/mcp?surface=direct`)
    const listed = await client.text('tools/list', {})
    expect(listed).toContain(`"maximum":${LARGEST}`)
    expect(listed.split(`"maximum":${LARGEST}`), 'the server and the API').toHaveLength(3)
    expect(listed).toContain(`"default":${ID}`)
    expect(listed).toContain('"enum":["1.10","1.2"]')
    expect(listed).toContain('"default":"1.10"')
    expect(listed).toContain(`"enum":["${ID}"]`)

    const call = async (name: string, args: object) =>
      client.text('tools/call', { name, arguments: args })
    await call('yaml__getRow', {})
    expect(api.seen.at(-1)?.url.search).toBe(`?id=${ID}&kind=1.10`)
    await call('yaml__getRow', { kind: '1.2', owner: ID })
    expect(api.seen.at(-1)?.url.search).toBe(`?id=${ID}&kind=1.2&owner=${ID}`)
    await call('json__getRow', {})
    expect(api.seen.at(-1)?.url.search).toBe(`?id=${ID}`)
    const refused = await call('yaml__getRow', { owner: 'somebody' })
    expect(refused).toContain(ID)
    for (const one of undo.splice(0)) await one()
  }
})
