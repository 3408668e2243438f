import { expect, it } from 'vitest'
import { aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../../../test/support/traces-client.ts'

const IMPROVED =
  'Replace the reports by a nightly export to object storage, and query that export with DuckDB.'

/** A proposed amendment, after which somebody else contributed exactly the amended trace. */
async function anAmendmentThatIsStoredAlready() {
  const service = await aTracesService({ settings: { validationThreshold: 1 } })
  const [author, proposer, other, voter] = await Promise.all(
    Array.from({ length: 4 }, async () => service.account()),
  )
  if (!author || !proposer || !other || !voter) throw new Error('four accounts are needed')
  const trace = aTrace()
  const id = await author.contribute(trace)
  const { body } = await proposer.post(`/traces/${id}/amendments`, {
    improved_solution: IMPROVED,
    explanation: 'It needs no pool at all.',
  })
  await other.contribute({ ...trace, solution_text: IMPROVED })
  return { service, id, author, voter, path: `/amendments/${body.id}` }
}

it('counts a vote for an amendment although another trace says the same by now', async () => {
  const { service, id, voter, path } = await anAmendmentThatIsStoredAlready()
  const voted = await voter.post(`${path}/votes`, { vote_type: 'up' })
  expect(voted).toMatchObject({
    status: 201,
    body: { status: 'proposed', confirmation_count: 1 },
  })
  const again = await voter.post(`${path}/votes`, { vote_type: 'up' })
  expect(again.body.detail).toContain('Already voted')
  const next = await (await service.account()).post(`${path}/votes`, { vote_type: 'up' })
  expect(next.body).toMatchObject({ status: 'proposed', confirmation_count: 2 })
  expect((await voter.get(`/traces/${id}`)).body.solution_text).not.toBe(IMPROVED)
})

it('says why an amendment cannot be applied if another trace says the same by now', async () => {
  const { author, path } = await anAmendmentThatIsStoredAlready()
  const decided = await author.post(`${path}/decision`, { decision: 'apply' })
  expect(decided).toMatchObject({
    status: 409,
    body: { detail: 'The amended trace would say what a stored one says already' },
  })
  const rejected = await author.post(`${path}/decision`, { decision: 'reject' })
  expect(rejected.body.status).toBe('rejected')
})
