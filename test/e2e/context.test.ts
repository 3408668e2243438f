import { expect, it } from 'vitest'
import { call, execute, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { describeTransports } from '../support/describe-transports.ts'

const SERVERS = ['old', 'new'] as const

describeTransports((suite) => {
  it('finds a tool of any server by what it does, and how to call it', async () => {
    const found = valueOf(await call(suite().discover, 'find_tools', { query: 'echo a text' }))
    expect(found['tools']).toEqual(
      expect.arrayContaining(
        SERVERS.map((server) =>
          expect.objectContaining({
            server,
            call: expect.stringMatching(/^echo\(text\?: string/),
          }),
        ),
      ),
    )
  })

  it.each(SERVERS)(
    'shortens a long result of %s and reads the rest by its handle',
    async (server) => {
      const { discover } = suite()
      const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `row number ${id}` }))
      const args = { text: JSON.stringify({ rows }) }
      const asked = { server, tool: 'echo', args, max_tokens: 300 }
      const short = JSON.parse(textOf(await call(discover, 'execute_tool', asked)))
      expect(short).toMatchObject({ _summarized: true, _shown: { rows: expect.any(String) } })
      const page = await call(discover, 'read_result', {
        handle: short['_handle'],
        select: 'rows[].id',
        offset: 290,
      })
      expect(valueOf(page)).toMatchObject({
        total: 300,
        data: rows.slice(290).map(({ id }) => id),
      })
      const gone = await call(discover, 'read_result', { handle: 'r_0000000000' })
      expect(structured(gone)).toMatchObject({ error: { code: 'RESULT_GONE' } })
    },
  )

  it('tells all that is wrong with the arguments before the call leaves', async () => {
    const refused = await execute(suite().discover, 'old', 'echo', { text: {} })
    expect(structured(refused)).toMatchObject({
      error: { code: 'INVALID_PARAMS', problems: [{ path: 'text', expected: 'string' }] },
    })
  })
})
