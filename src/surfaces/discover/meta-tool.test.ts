import { expect, it } from 'vitest'
import { answerWith } from './meta-tool.ts'

// Some clients show their model the text of a result, others the structured content.
it('puts notes where a model reads them, whichever form of a result its client shows', () => {
  const servers = [{ name: 'files' }]
  const noted = answerWith(servers, { result: servers }, ['A file was left out.'])
  expect(JSON.stringify(noted['content'])).toContain('A file was left out.')
  expect(noted['structuredContent']).toEqual({ result: servers, notes: ['A file was left out.'] })
  expect(answerWith(servers, { result: servers })['structuredContent']).toEqual({ result: servers })
})
