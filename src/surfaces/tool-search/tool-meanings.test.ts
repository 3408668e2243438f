import { expect, it, vi } from 'vitest'
import { hashEmbedder } from '../../../test/support/hash-embedder.ts'
import type { Tool } from '../../gateway/upstream.ts'
import { ToolIndex } from './tool-index.ts'
import { createToolMeanings } from './tool-meanings.ts'

const all = () => true

function aTool(name: string, description: string): Tool {
  return { server: 'fleet', name, definition: { name, description }, readOnly: true }
}

const truck = aTool('dispatch', 'Sends a truck on its way.')
const invoice = aTool('bill', 'Writes an invoice.')

async function embedded(tools: readonly Tool[]) {
  const embedder = hashEmbedder()
  const meanings = createToolMeanings(embedder)
  meanings.update(tools)
  await vi.waitFor(() => expect(embedder.embedded()).toBe(tools.length))
  return { embedder, meanings }
}

it('finds a tool that shares its meaning but no word with the question', async () => {
  const { meanings } = await embedded([truck, invoice])
  const index = new ToolIndex()
  index.update([truck, invoice])
  const options = { limit: 5, accept: all }
  expect(index.search('lorries', options)).toEqual([])
  const found = index.searchAll(['lorries'], options, await meanings.near(['lorries']))
  expect(found[0]?.tool).toBe(truck)
})

it('ranks only what the agent may see', async () => {
  const { meanings } = await embedded([truck, invoice])
  const [nearest] = await meanings.near(['lorries'])
  expect(nearest?.((tool) => tool !== truck)).not.toContain(truck)
})

it('embeds only what changed, and forgets what is gone', async () => {
  const { embedder, meanings } = await embedded([truck, invoice])
  const changed = aTool('dispatch', 'Sends a lorry and a trailer on their way.')
  meanings.update([changed])
  await vi.waitFor(() => expect(embedder.embedded()).toBe(3))
  const [nearest] = await meanings.near(['invoice'])
  expect(nearest?.(all)).not.toContain(invoice)
})

it('says that the embedder is gone, and catches up when it is back', async () => {
  const embedder = hashEmbedder()
  embedder.fail('out of order')
  const meanings = createToolMeanings(embedder)
  meanings.update([truck])
  await expect(meanings.near(['lorries'])).rejects.toThrow('out of order')
  embedder.fail(undefined)
  await vi.waitFor(async () => {
    const [nearest] = await meanings.near(['lorries'])
    expect(nearest?.(all)).toEqual([truck])
  })
})
