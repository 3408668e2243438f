import { expect, inject, it } from 'vitest'
import { aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { createDatabase } from '../../../../../test/support/postgres.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'

it.each(['SQLite', 'PostgreSQL'])(
  'adds up votes on several traces of one author that arrive at once, on %s',
  async (engine) => {
    const service = await aTracesService({
      place:
        engine === 'SQLite'
          ? { home: tempFolder().path }
          : { home: '', databaseUrl: await createDatabase(inject('postgresUrl')) },
    })
    const author = await service.account()
    const ids: string[] = []
    for (let n = 0; n < 8; n += 1) ids.push(await author.contribute({ tags: ['tribology'] }))
    const voters = await Promise.all(ids.map(async () => service.account()))
    const votes = await Promise.all(
      voters.map(async (voter, n) => voter.post(`/traces/${ids[n]}/votes`, { vote_type: 'up' })),
    )
    expect(votes.map(({ status }) => status)).toEqual(ids.map(() => 201))
    const { body } = await author.get(`/contributors/${author.id}/reputation`)
    expect(body.domains).toEqual([
      expect.objectContaining({ domain_tag: 'tribology', upvote_count: 8 }),
    ])
  },
)
