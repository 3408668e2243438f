import { describe, expect, it } from 'vitest'
import { createBuiltinEmbedder, builtinModelProblem } from './builtin-embedder.ts'
import { closeness } from './embedder.ts'
import { createEmbedder } from './create-embedder.ts'

describe('the embedder of the package', () => {
  it('works without a service, and keeps nothing on disk', async () => {
    const embedder = createEmbedder({ provider: 'builtin' }, '/nowhere/that/can/be/written')
    const [email, mail, flight] =
      (await embedder?.embed(['send an email', 'post a mail message', 'book a flight'], 'query')) ??
      []
    expect(await embedder?.dimension()).toBe(256)
    expect(dot(email, mail)).toBeGreaterThan(dot(email, flight) + 0.2)
    expect(builtinModelProblem()).toBeUndefined()
  })

  it('lets others have their turn while it embeds many texts', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await createBuiltinEmbedder().embed(
      Array.from({ length: 5000 }, () => 'text '.repeat(50)),
      'document',
    )
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })

  it('says where its cosines lie', () => {
    const builtin = createBuiltinEmbedder()
    expect(closeness(0.1, builtin)).toBe(0)
    expect(closeness(0.7, builtin)).toBe(1)
    expect(closeness(0.7, {})).toBeLessThan(1)
  })

  it('names itself by its axes, so that vectors never mix', () => {
    expect(createBuiltinEmbedder({ dimension: 64 }).identity).not.toBe(
      createBuiltinEmbedder().identity,
    )
  })
})

function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
