import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serveHttp } from '../../../../test/support/http-server.ts'
import {
  type RunningKnowledge,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'

let knowledge: RunningKnowledge
beforeEach(async () => {
  knowledge = await startKnowledge()
  await mkdir(join(knowledge.home, 'docs'))
})
afterEach(async () => knowledge.close())

const at = (path: string) => join(knowledge.home, path)
const write = async (path: string, text: string) => writeFile(at(path), text)

it('reads a file by a URL with a bare percent sign', async () => {
  await write('docs/100%.md', '# Alpha\n\nThe alpha valve opens at 3 bar.')
  const answer = await knowledge.ask('knowledge_ingest', { url: `file://${at('docs/100%.md')}` })
  expect(answer['title']).toBe('Alpha')
})

it('goes on with a site after a page that cannot be read', async () => {
  await using server = await serveHttp((request, response) => {
    if (request.url.pathname === '/robots.txt') return response.writeHead(404).end()
    const pages: Record<string, string> = {
      '/': '<h1>Start</h1><p>of it</p><a href="/deep">a</a><a href="/last">b</a>',
      '/deep': '<i>'.repeat(6_000),
      '/last': '<h1>Last</h1><p>page</p>',
    }
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(pages[request.url.pathname] ?? '')
  })
  const crawling = await startKnowledge({ fetch: { allowedHosts: [new URL(server.url).host] } })
  try {
    const answer = await crawling.ask('knowledge_ingest', { url: `${server.url}/`, depth: 2 })
    expect(answer['message']).toBe('2 stored, 1 failed')
  } finally {
    await crawling.close()
  }
})
