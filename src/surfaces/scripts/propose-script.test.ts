import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { withProposal } from './propose-script.ts'

const savedScripts = async () => Promise.reject(new Error('ENOSPC: no space left on device'))

it('keeps the answer of a script that could not be saved', async () => {
  const answer = { content: [], structuredContent: { result: 12 } }
  const draft = { name: 'count', description: 'Counts', inputSchema: {}, source: '12' }
  const kept = await withProposal(answer, draft, { call: aCall(), world: { savedScripts } })
  expect(kept.structuredContent).toEqual({
    result: 12,
    saved: expect.stringMatching(/^not saved: ENOSPC: no space left on device\. The script .* run/),
  })
})
