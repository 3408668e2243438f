import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { shownTo } from '../../src/storage/traces/shown-results.ts'
import { aTracesService } from './a-traces-service.ts'
import { aTrace, idsFor } from './traces-client.ts'
import { type Fresh, tracesSuite } from './traces-suite.ts'

/** Tests what people do with traces: votes, amendments, flags, invitations. */
export function testCommunity(engine: string, fresh?: Fresh): void {
  describe(`traces community on ${engine}`, () => {
    const on = tracesSuite(fresh)

    it('validates after two independent confirmations, not after one', async () => {
      const id = await on.author.contribute()
      const status = async () => (await on.reader.get(`/traces/${id}`)).body.status
      await on.reader.post(`/traces/${id}/votes`, { vote_type: 'up' })
      expect(await status()).toBe('pending')
      const third = await on.service.account()
      await third.post(`/traces/${id}/votes`, { vote_type: 'up' })
      expect(await status()).toBe('validated')
      const searched = await on.reader.post('/traces/search', {
        tags: ['postgres'],
        status: 'validated',
        limit: 50,
      })
      expect(searched.body.results.map((trace: { id: string }) => trace.id)).toContain(id)
    })

    it('asks for as many confirmations as the owner has set', async () => {
      const strict = await aTracesService({
        place: on.service.place,
        settings: { validationThreshold: 3 },
      })
      const id = await on.author.contribute()
      const statuses: string[] = []
      for (let n = 0; n < 3; n += 1) {
        const voter = await strict.account()
        await voter.post(`/traces/${id}/votes`, { vote_type: 'up' })
        statuses.push((await voter.get(`/traces/${id}`)).body.status)
      }
      expect(statuses).toEqual(['pending', 'pending', 'validated'])
    })

    it('never counts a downvote as a confirmation', async () => {
      const id = await on.author.contribute()
      for (let n = 0; n < 3; n += 1) {
        const voter = await on.service.account()
        await voter.post(`/traces/${id}/votes`, { vote_type: 'down', feedback_tag: 'wrong' })
      }
      const { body } = await on.reader.get(`/traces/${id}`)
      expect(body).toMatchObject({ status: 'pending', confirmation_count: 0 })
      expect(body.trust_score).toBeLessThan(0)
    })

    it('is not validated by accounts made a minute ago, nor by one mailbox twice', async () => {
      const id = await on.author.contribute()
      for (let n = 0; n < 3; n += 1) {
        const sybil = await on.service.account({ isNew: true })
        expect((await sybil.post(`/traces/${id}/votes`, { vote_type: 'up' })).status).toBe(201)
      }
      expect((await on.reader.get(`/traces/${id}`)).body).toMatchObject({
        status: 'pending',
        confirmation_count: 0,
      })
      await on.service.account({ email: 'one.person@example.com' })
      const again = await on.service.request('POST', '/api/v1/keys', {
        body: { email: 'One.Person+sybil@example.com' },
      })
      expect([again.status, again.body.detail]).toEqual([409, 'Email already registered'])
    })

    it('is not validated by an account that its author invited', async () => {
      const code = (await on.service.owner('POST', '/admin/invitations', { count: 1 })).body
        .codes[0]
      const inviter = await on.service.account()
      expect((await inviter.post('/invitations/redeem', { code })).body.invites_remaining).toBe(2)
      const invitation = await inviter.post('/invitations', { note: 'for my second self' })
      const friend = await on.service.account()
      await friend.post('/invitations/redeem', { code: invitation.body.code })
      const { body: trace } = await inviter.post('/traces', aTrace())
      await friend.post(`/traces/${trace.id}/votes`, { vote_type: 'up' })
      expect((await on.reader.get(`/traces/${trace.id}`)).body.confirmation_count).toBe(0)
    })

    it('refuses a vote on an own trace, a second vote, and a downvote without a tag', async () => {
      const id = await on.author.contribute()
      const own = await on.author.post(`/traces/${id}/votes`, { vote_type: 'up' })
      expect([own.status, own.body.detail]).toEqual([403, 'Cannot vote on your own trace'])
      const untagged = await on.reader.post(`/traces/${id}/votes`, { vote_type: 'down' })
      expect(untagged.status).toBe(422)
      const [one, two] = await Promise.all([
        on.reader.post(`/traces/${id}/votes`, { vote_type: 'up' }),
        on.reader.post(`/traces/${id}/votes`, { vote_type: 'up' }),
      ])
      expect(new Set([one.status, two.status])).toEqual(new Set([201, 409]))
      const unknown = await on.reader.post('/traces/11111111-1111-4111-8111-111111111111/votes', {
        vote_type: 'up',
      })
      expect(unknown.status).toBe(404)
    })

    it('adds up votes that arrive at once', async () => {
      const id = await on.author.contribute()
      const voters = await Promise.all(Array.from({ length: 8 }, async () => on.service.account()))
      await Promise.all(
        voters.map(async (voter) => voter.post(`/traces/${id}/votes`, { vote_type: 'up' })),
      )
      const { body } = await on.reader.get(`/traces/${id}`)
      expect(body.confirmation_count).toBe(8)
      expect(body.trust_score).toBeCloseTo(0.8)
    })

    it('builds the reputation of an author per tag, and weighs its votes by it', async () => {
      const expert = await on.service.account()
      const { body: trace } = await expert.post('/traces', aTrace({ tags: ['ferrofluid'] }))
      for (let n = 0; n < 4; n += 1)
        await (await on.service.account()).post(`/traces/${trace.id}/votes`, { vote_type: 'up' })
      const { body } = await on.reader.get(`/contributors/${expert.id}/reputation`)
      expect(body.domains).toEqual([
        expect.objectContaining({ domain_tag: 'ferrofluid', upvote_count: 4, downvote_count: 0 }),
      ])
      expect(body.overall_wilson_score).toBeCloseTo(0.51, 2)
      const other = await on.author.contribute({ tags: ['ferrofluid'] })
      await expert.post(`/traces/${other}/votes`, { vote_type: 'up' })
      expect((await on.reader.get(`/traces/${other}`)).body.trust_score).toBeCloseTo(0.51, 2)
    })

    it('shows amendments, lets others vote, and applies what they approve', async () => {
      const id = await on.author.contribute()
      const proposer = await on.service.account()
      const proposed = await proposer.post(`/traces/${id}/amendments`, {
        improved_solution: 'Use a zygomorphic pool with a statement timeout instead.',
        explanation: 'It also covers bursts.',
      })
      expect(proposed.status).toBe(201)
      const list = await on.reader.get(`/traces/${id}/amendments`)
      expect(list.body.amendments).toHaveLength(1)
      expect((await on.reader.get(`/traces/${id}`)).body.amendments).toHaveLength(1)

      const path = `/amendments/${proposed.body.id}/votes`
      expect((await proposer.post(path, { vote_type: 'up' })).status).toBe(403)
      expect((await on.reader.post(path, { vote_type: 'up' })).body.status).toBe('proposed')
      expect((await on.reader.post(path, { vote_type: 'up' })).status).toBe(409)
      const third = await on.service.account()
      expect((await third.post(path, { vote_type: 'up' })).body.status).toBe('applied')
      const { body } = await on.reader.get(`/traces/${id}`)
      expect(body.solution_text).toMatch(/zygomorphic/)
      const found = await on.reader.post('/traces/search', { q: 'zygomorphic' })
      expect(found.body.results[0].id).toBe(id)
    })

    it('lets the author of a trace decide on an amendment, and nobody else', async () => {
      const id = await on.author.contribute()
      const { body } = await on.reader.post(`/traces/${id}/amendments`, {
        improved_solution: 'Better and shorter than before.',
        explanation: 'Shorter.',
      })
      const path = `/amendments/${body.id}/decision`
      expect((await on.reader.post(path, { decision: 'apply' })).status).toBe(403)
      expect((await on.author.post(path, { decision: 'apply' })).body.status).toBe('applied')
      expect((await on.author.post(path, { decision: 'apply' })).status).toBe(409)
    })

    it('does not hide a trace for one flag, nor for flags of new accounts', async () => {
      const id = await on.author.contribute({ tags: ['flag-test'] })
      const isFound = async () =>
        (await on.reader.post('/traces/search', { tags: ['flag-test'] })).body.total === 1
      const flag = { category: 'spam', reason: 'I do not like it' }
      expect((await on.reader.post(`/traces/${id}/flag`, flag)).body).toMatchObject({
        flagged: true,
        hidden: false,
      })
      await on.reader.post(`/traces/${id}/flag`, flag)
      for (let n = 0; n < 4; n += 1)
        await (await on.service.account({ isNew: true })).post(`/traces/${id}/flag`, flag)
      expect(await isFound()).toBe(true)
      await (await on.service.account()).post(`/traces/${id}/flag`, flag)
      const third = await (await on.service.account()).post(`/traces/${id}/flag`, flag)
      expect(third.body.hidden).toBe(true)
      expect(await isFound()).toBe(false)
      expect((await on.reader.get('/tags')).body.tags).not.toContain('flag-test')
    })

    it('can be looked through newest first, without what is hidden', async () => {
      const ids: string[] = []
      for (let n = 0; n < 3; n++) ids.push(await on.author.contribute({ tags: ['to-browse'] }))
      const page = async (query: string) =>
        (await on.reader.get(`/traces?tag=to-browse&${query}`)).body
      expect(await page('limit=2')).toMatchObject({
        total: 3,
        traces: [{ id: ids[2] }, { id: ids[1] }],
      })
      expect(await page('limit=2&offset=2')).toMatchObject({ traces: [{ id: ids[0] }] })
      expect(await page('status=validated')).toMatchObject({ total: 0, traces: [] })
      const moderator = await on.service.account({ moderator: true })
      await moderator.post(`/traces/${ids[1]}/flag`, { category: 'spam', reason: 'it is' })
      expect(await page('')).toMatchObject({ total: 2, traces: [{ id: ids[2] }, { id: ids[0] }] })
      expect((await on.reader.get('/traces?limit=1000')).status).toBe(422)
    })

    it('count as confirmed by the word of a moderator, which also dismisses reports', async () => {
      const moderator = await on.service.account({ moderator: true })
      const id = await on.author.contribute({ tags: ['to-validate'] })
      await moderator.post(`/traces/${id}/flag`, { category: 'incorrect', reason: 'or so' })
      expect((await on.reader.post(`/moderation/traces/${id}/validate`, {})).status).toBe(403)
      expect((await moderator.post(`/moderation/traces/${id}/validate`, {})).status).toBe(200)
      const { body } = await on.reader.get('/traces?tag=to-validate&status=validated')
      expect(body).toMatchObject({ traces: [{ id, is_flagged: false }] })
    })

    it('lets moderators see, clear and delete what was flagged, and nobody else', async () => {
      const moderator = await on.service.account({ moderator: true })
      const id = await on.author.contribute({ tags: ['to-moderate'] })
      await moderator.post(`/traces/${id}/flag`, { category: 'harmful', reason: 'looks bad' })
      expect((await on.reader.post('/traces/search', { tags: ['to-moderate'] })).body.total).toBe(0)
      expect((await on.reader.get('/moderation/flagged')).status).toBe(403)
      const { body } = await moderator.get('/moderation/flagged?limit=1')
      expect(body[0].id).toBe(id)
      await moderator.delete(`/moderation/traces/${id}/flags`)
      expect((await on.reader.post('/traces/search', { tags: ['to-moderate'] })).body.total).toBe(1)
      expect((await on.reader.delete(`/moderation/traces/${id}`)).status).toBe(403)
      await on.reader.post(`/traces/${id}/votes`, { vote_type: 'up' })
      expect((await moderator.delete(`/moderation/traces/${id}`)).body).toEqual({
        deleted: true,
        trace_id: id,
      })
      expect((await on.reader.get(`/traces/${id}`)).status).toBe(404)
    })

    it('does not count being shown as being used, nor the same reader twice a day', async () => {
      const id = await on.author.contribute({ tags: ['inflation'] })
      for (let n = 0; n < 5; n += 1) await on.reader.post('/traces/search', { tags: ['inflation'] })
      await on.author.get(`/traces/${id}`)
      const uses = async () => (await on.author.get(`/traces/${id}`)).body.retrieval_count
      expect(await uses()).toBe(0)
      for (let n = 0; n < 3; n += 1) await on.reader.get(`/traces/${id}`)
      expect(await uses()).toBe(1)
      const others = await Promise.all(Array.from({ length: 4 }, async () => on.service.account()))
      await Promise.all(others.map(async (other) => other.get(`/traces/${id}`)))
      expect(await uses()).toBe(5)
    })

    it('knows what was passed over when one process answers the search and another opens the trace', async () => {
      const word = `whirligig${randomBytes(4).toString('hex')}`
      const texts = { context_text: `The ${word} stalls when it is drained twice in a row.` }
      const first = await on.author.contribute({ title: `${word} stalls on drain`, ...texts })
      const second = await on.author.contribute({ title: `${word} drain, a note`, ...texts })
      await on.author.contribute({ title: 'Gearbox hums after a cold start', tags: ['gearbox'] })
      const reader = await on.service.account()
      const elsewhere = await aTracesService({ place: on.service.place })
      const q = `${word} stalls on drain`
      const passings = async (winner: string) =>
        on.service.storage.db
          .selectFrom('passed_over')
          .select(['loser_id', 'account_id'])
          .where('winner_id', '=', winner)
          .execute()
      const listsOf = async (account: string) =>
        (await shownTo(on.service.storage.db, account, { since: 0, limit: 9 })).length

      // A search waits only briefly for the index to read what is new.
      await expect.poll(async () => idsFor(on.author, q, 2)).toEqual([first, second])
      expect(await idsFor(reader, q, 2)).toEqual([first, second])
      // Meanwhile the same reader searches for something else, as with two open editors.
      await reader.post('/traces/search', { tags: ['gearbox'], limit: 1 })
      await expect.poll(async () => listsOf(reader.id)).toBe(2)
      await elsewhere.as(reader).get(`/traces/${second}`)
      expect(await passings(second)).toEqual([{ loser_id: first, account_id: reader.id }])
      expect((await on.author.get(`/traces/${second}`)).body.retrieval_count).toBe(1)
      // A trace that is only shown is not used; opening the upper one removes the passed-over
      // record.
      expect((await on.author.get(`/traces/${first}`)).body.retrieval_count).toBe(0)
      await elsewhere.as(reader).get(`/traces/${first}`)
      expect(await passings(second)).toEqual([])

      // After half an hour the list of shown traces is ignored, and the next search removes it.
      const late = await on.service.account()
      await late.post('/traces/search', { q })
      await expect.poll(async () => listsOf(late.id)).toBe(1)
      elsewhere.travel(31 * 60_000)
      await elsewhere.as(late).get(`/traces/${second}`)
      expect(await passings(second)).toEqual([])
      await elsewhere.as(late).post('/traces/search', { q })
      await elsewhere.close()
      expect(await listsOf(reader.id)).toBe(0)
    })

    it('finds what replaced a trace, by the words of the trace that it replaced', async () => {
      const old = await on.author.contribute({ title: 'Blorptron handshake never completes' })
      const now = await on.author.contribute({
        title: 'A better way with the new protocol',
        supersedes_trace_id: old,
      })
      await expect.poll(async () => idsFor(on.reader, 'blorptron handshake', 2)).toEqual([now, old])
      const tagged = await on.reader.post('/traces/search', {
        q: 'blorptron handshake',
        tags: ['postgres', 'elsewhere'],
      })
      expect(tagged.body.total).toBe(0)
    })

    it('invites: a code opens once, never for its maker, and the count goes down', async () => {
      const codes = await on.service.owner('POST', '/admin/invitations', {
        count: 2,
        door: 'founding',
      })
      const [first, second] = [await on.service.account(), await on.service.account()]
      const redeemed = await first.post('/invitations/redeem', { code: codes.body.codes[0] })
      expect(redeemed.body).toEqual({
        can_contribute: true,
        entry_door: 'founding',
        invites_remaining: 2,
      })
      expect((await second.post('/invitations/redeem', { code: codes.body.codes[0] })).status).toBe(
        404,
      )
      const made = await first.post('/invitations', {})
      expect(made.body).toMatchObject({ door: 'vouched', invites_remaining: 1 })
      expect((await first.post('/invitations/redeem', { code: made.body.code })).status).toBe(409)
      expect((await second.post('/invitations', {})).status).toBe(403)
      const { body } = await first.get('/invitations')
      expect(body.invitations).toEqual([
        expect.objectContaining({ redeemed: false, door: 'vouched' }),
      ])
    })
  })
}
