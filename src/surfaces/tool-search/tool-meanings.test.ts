import { expect, it, vi } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import { hashEmbedder } from '../../../test/support/hash-embedder.ts'
import { toolKey } from '../../gateway/tools/tool-ref.ts'
import type { Tool } from '../../gateway/upstream.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import { ToolIndex } from './tool-index.ts'
import { createToolMeanings } from './tool-meanings.ts'
import { meaningTexts } from './tool-text.ts'

function aTool(name: string, description: string): Tool {
  return { server: 'fleet', name, definition: { name, description }, readOnly: true }
}

const truck = aTool('dispatch', 'A truck.')
const invoice = aTool('bill', 'Writes an invoice.')
/** Texts of one tool for the model of the package. */
const PARTS = meaningTexts(truck).length

function withOwn(tools: readonly Tool[]) {
  const own = hashEmbedder()
  const meanings = createToolMeanings({ own: async () => own })
  meanings.update(tools)
  return { own, meanings }
}

it('finds a tool that shares its meaning but no word with the question', async () => {
  const { meanings } = withOwn([truck, invoice])
  const index = new ToolIndex()
  index.update([truck, invoice])
  const options = { limit: 5, accept: () => true }
  expect(index.search('lorries', options)).toEqual([])
  const { nearness } = await meanings.near(['lorries'])
  const [best] = index.search('lorries', { ...options, nearness: nearness?.[0] })
  expect(best).toMatchObject({ tool: truck, foundBy: 'meaning', fits: true })
  const without = { ...options, accept: (tool: Tool) => tool !== truck, nearness: nearness?.[0] }
  expect(index.search('lorries', without).map(({ tool }) => tool)).toEqual([invoice])
})

it('loads nothing before the first question', async () => {
  const open = vi.fn(async () => hashEmbedder())
  const meanings = createToolMeanings({ own: open })
  meanings.update([truck])
  expect(open).not.toHaveBeenCalled()
  await meanings.near(['lorries'])
  await meanings.near(['lorries'])
  expect(open).toHaveBeenCalledOnce()
})

it('embeds only what changed, and forgets what is gone', async () => {
  const { own, meanings } = withOwn([truck, invoice])
  await meanings.near(['invoice'])
  const before = own.embedded()
  const changed = aTool('dispatch', 'Sends a lorry and a trailer on their way.')
  meanings.update([changed])
  const { nearness } = await meanings.near(['invoice'])
  expect(own.embedded() - before).toBe(PARTS + 1)
  expect(nearness?.[0]?.whole(toolKey(invoice))).toBeLessThanOrEqual(0)
})

it('takes a sentence of a request for what is asked', async () => {
  const { meanings } = withOwn([truck, invoice])
  const padding = 'some other words entirely about gardens flowers and summer rain'
  const { nearness } = await meanings.near([padding, `${padding}. Dispatch a lorry now.`])
  const [without, with_] = nearness?.map((each) => each?.whole(toolKey(truck))) ?? []
  expect(with_).toBeGreaterThan((without ?? 0) + 0.3)
})

it('answers by words alone, and says why, while the model cannot be had', async () => {
  let isBroken = true
  const meanings = createToolMeanings({
    own: async () => {
      if (isBroken) throw new Error('The model file is damaged. Install portolan again')
      return hashEmbedder()
    },
  })
  meanings.update([truck])
  expect(await meanings.near(['lorries'])).toEqual({
    note: 'Ranked by words alone: there are no vectors: The model file is damaged. Install portolan again.',
  })
  expect(meanings.state.problem).toContain('damaged')
  isBroken = false
  expect((await meanings.near(['lorries'])).nearness).toHaveLength(1)
  expect(meanings.state).toEqual({ model: 'hash-64' })
})

it('lets another embedder take the place of our own while it answers', async () => {
  const own = hashEmbedder()
  const other = hashEmbedder(32)
  const meanings = createToolMeanings({ own: async () => own, other: async () => other })
  meanings.update([truck])
  await vi.waitFor(async () => {
    expect(await meanings.near(['lorries'])).not.toHaveProperty('note')
    expect(meanings.state.model).toBe('hash-32')
  })
  other.fail('out of order')
  expect(await meanings.near(['lorries'])).toMatchObject({
    nearness: [{ whole: expect.any(Function) }],
    note: expect.stringContaining('Ranked with the built-in model'),
  })
  expect(meanings.state).toMatchObject({ model: 'hash-64', problem: expect.any(String) })
})

it('knows tools that were listed while the model was opened, which is opened once', async () => {
  const opening = deferred<Embedder>()
  const open = vi.fn(async () => opening.promise)
  const meanings = createToolMeanings({ own: open })
  meanings.update([invoice])
  const asked = [meanings.near(['lorries']), meanings.near(['lorries'])]
  await vi.waitFor(() => expect(open).toHaveBeenCalled())
  meanings.update([invoice, truck])
  opening.resolve(hashEmbedder())
  for (const { nearness } of await Promise.all(asked))
    expect(nearness?.[0]?.whole(toolKey(truck))).toBeGreaterThan(0)
  expect(open).toHaveBeenCalledTimes(1)
})
