import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createSecretReader } from './secret-reader.ts'

/** A helper that counts how often it ran, and then does `rest`. */
function aHelper(rest: string, deadlineMs = 30_000) {
  const folder = tempFolder()
  const program = folder.write(
    'helper',
    `#!/bin/sh\necho "$@" >> ${folder.file('runs')}\npwd > ${folder.file('cwd')}\n${rest}\n`,
  )
  chmodSync(program, 0o755)
  const learned: string[] = []
  const read = createSecretReader({
    server: 'hub',
    helpers: {
      v: [program, 'read', 'x://{ref}'],
      none: ['/nowhere/helper'],
    },
    place: { cwd: '/', env: { PATH: process.env['PATH'], HOME: folder.path } },
    deadlineMs,
    learn: (values) => void learned.push(...values),
  })
  return { read, learned, runs: () => folder.read('runs').trim().split('\n'), folder }
}

it('gives what the helper prints, without its last line break, and hides it from then on', async () => {
  const { read, learned, runs, folder } = aHelper(`printf 'tok en\\nline\\n'`)
  expect(await read({ A: 'Bearer ${v:a b/c}', B: 'x' })).toEqual({
    A: 'Bearer tok en\nline',
    B: 'x',
  })
  expect(runs()).toEqual(['read x://a b/c'])
  expect(learned).toEqual(['tok en\nline'])
  expect(folder.read('cwd').trim()).toBe(folder.path)
})

it('runs once for connections that open together, and again after a failure', async () => {
  const { read, runs, folder } = aHelper('sleep 0.2; cat value')
  const failed = await Promise.allSettled([read('${v:a}'), read('${v:a}')])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  folder.write('value', 'tok1')
  expect(await Promise.all([read('${v:a}'), read(['${v:a}', '${v:a}'])])).toEqual([
    'tok1',
    ['tok1', 'tok1'],
  ])
  expect(runs()).toHaveLength(2)
})

it('starts nothing where there is no reference', async () => {
  const { read, runs } = aHelper('echo x')
  expect(await read({ A: '${user.KEY} ${HOME}' })).toEqual({ A: '${user.KEY} ${HOME}' })
  expect(runs()).toEqual([''])
})

it.each([
  ['fails', '${v:a}', `echo 'not signed in' >&2; exit 3`, 'not signed in', 'Run it yourself'],
  ['is silent', '${v:a}', 'true', 'printed nothing', 'Run it yourself'],
  ['is missing', '${none:a}', '', 'cannot be started', 'secrets.helpers.none'],
  ['is unknown', '${nobody:a}', '', 'there is no helper "nobody"', 'secrets.helpers.nobody'],
  ['prints too much', '${v:a}', 'yes | head -c 100000', 'more than 64 KiB', 'Run it yourself'],
])('says what to do where a helper %s', async (...row) => {
  const [, reference, script, why, hint] = row
  const { read } = aHelper(script)
  await expect(read(reference)).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`'hub': .*${why}`)),
    details: { hint: expect.stringContaining(hint) },
  })
})

it('does not wait for a helper that asks the user, and says so', async () => {
  const { read } = aHelper('sleep 60 & sleep 60', 300)
  const startedAt = performance.now()
  await expect(read('${v:a}')).rejects.toMatchObject({
    message: expect.stringContaining('did not answer'),
    details: { hint: expect.stringContaining('portolan server restart hub') },
  })
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})
