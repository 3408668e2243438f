import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aContext,
  aFolder,
  aProject,
  resultsOf,
} from '../../../test/support/code-project.ts'
import { createCodeService } from './create-code-service.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

function aThreadedClient(root: string, home = aFolder()) {
  const client = aCodeClient(root, { home, service: createCodeService({ home, env: {} }) })
  opened.push(client)
  return client
}

describe('the code server in its thread', () => {
  it('lists the eleven tools of the contract and more, without starting the thread', async () => {
    const { tools } = await aThreadedClient(aFolder()).service.handle(
      'tools/list',
      {},
      aContext(aFolder()),
    )
    const names = Array.isArray(tools) ? tools.map(({ name }) => String(name)) : []
    expect(names).toEqual(
      expect.arrayContaining(
        'search_code analyze_query list_indexes open_dashboard index_stats clear_index index_codebase get_file_dependencies get_file_impact get_batch_dependencies get_batch_impact find_symbol find_references outline'.split(
          ' ',
        ),
      ),
    )
    expect(tools).toMatchSnapshot()
  })

  it('indexes and searches, saves when closed, and finds all again', async () => {
    const root = aProject(SHOP)
    const home = aFolder()
    const first = aThreadedClient(root, home)
    await first.call('index_codebase', { path: '.' })
    expect(resultsOf(await first.list('search_code', { query: 'totalPrice' }))[0]).toMatchObject({
      file_path: 'src/cart.ts',
    })
    await first.close()
    const again = aThreadedClient(root, home)
    expect(resultsOf(await again.list('search_code', { query: 'totalPrice' }))[0]).toMatchObject({
      file_path: 'src/cart.ts',
    })
  }, 120_000)

  it('passes errors, progress and cancellation between the threads', async () => {
    const root = aProject(
      Object.fromEntries(
        Array.from({ length: 500 }, (_, n) => [`f${n}.ts`, `export const v${n} = 1\n`.repeat(60)]),
      ),
    )
    const client = aThreadedClient(root)
    await expect(client.call('no_such_tool')).rejects.toThrow('Unknown tool')
    const cancel = new AbortController()
    const stopped = client.call(
      'index_codebase',
      { path: '.' },
      { signal: cancel.signal, progress: () => cancel.abort() },
    )
    await expect(stopped).rejects.toThrow(/abort/i)
  }, 120_000)

  it('keeps the event loop of its caller free while it indexes', async () => {
    const root = aProject(
      Object.fromEntries(
        Array.from({ length: 600 }, (_, n) => [
          `f${n}.ts`,
          `export function name${n}(a: string) { return a }\n`.repeat(60),
        ]),
      ),
    )
    const client = aThreadedClient(root)
    await client.call('list_indexes')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    await client.call('index_codebase', { path: '.' })
    delay.disable()
    expect(delay.percentile(95) / 1e6).toBeLessThan(250)
  }, 120_000)
})
