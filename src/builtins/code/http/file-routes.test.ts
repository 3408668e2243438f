import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { anIndexedApi, failing } from '../../../../test/support/a-code-api.ts'
import { aFolder, aProject } from '../../../../test/support/code-project.ts'

describe('files over the API', () => {
  it('shows those of the project, cut where nobody reads on', async () => {
    const long = 'line\n'.repeat(50_001)
    const wide = Buffer.from('\uFEFFconst b = 2\n', 'utf16le')
    const api = await anIndexedApi({
      files: { 'a.ts': 'const a = 1\n', 'long.py': long, 'wide.ts': wide },
    })
    expect(await api.get('file-content?path=wide.ts')).toMatchObject({
      status: 200,
      body: { content: 'const b = 2' },
    })
    expect(await api.get('file-content?path=a.ts')).toEqual({
      status: 200,
      body: { content: 'const a = 1', language: 'typescript', lines: 1 },
    })
    expect(await api.get(`file-content?path=${api.root}/a.ts&index=shop`)).toMatchObject({
      status: 200,
    })
    expect(await api.get('file-content?path=long.py')).toMatchObject({
      body: { lines: 50_000, truncated: true, message: expect.stringContaining('50000') },
    })
  })

  it('shows nothing else on the machine, however it is named', async () => {
    const secret = join(aFolder(), 'secret.txt')
    writeFileSync(secret, 'secret')
    const api = await anIndexedApi()
    symlinkSync(secret, join(api.root, 'link.txt'))
    symlinkSync(dirname(secret), join(api.root, 'linked'))
    for (const path of [
      secret,
      'link.txt',
      'linked/secret.txt',
      'linked/none.txt',
      '../secret.txt',
      'src/../../x',
      '/etc/passwd',
      '/nowhere',
    ])
      expect({
        path,
        ...(await api.get(`file-content?path=${encodeURIComponent(path)}`)),
      }).toMatchObject({ path, status: 403, body: { success: false } })
    expect(await api.get('file-content?path=none.ts')).toMatchObject({ status: 404 })
    expect(await api.get('file-content')).toEqual(failing(400, 'path is required'))
    expect(await api.get('file-content?path=a.ts&index=none')).toMatchObject({ status: 404 })
  })

  it('opens them in the editor at the line', async () => {
    const seen = join(aFolder(), 'seen')
    const editor = join(
      aProject({ code: `#!/bin/sh\necho "$@" > ${seen}.tmp && mv ${seen}.tmp ${seen}\n` }),
      'code',
    )
    chmodSync(editor, 0o755)
    const api = await anIndexedApi({
      env: { COCOSEARCH_EDITOR: `${editor} --wait`, EDITOR: 'other' },
    })
    expect(await api.post('open-in-editor', { path: 'src/cart.ts', line: 4 })).toMatchObject({
      status: 200,
      body: { success: true, editor: 'code', line: 4 },
    })
    await vi.waitFor(() => expect(existsSync(seen)).toBe(true))
    expect(readFileSync(seen, 'utf8')).toBe(`--wait --goto ${api.root}/src/cart.ts:4\n`)
    expect(await api.post('open-in-editor', { path: '/etc/passwd' })).toMatchObject({ status: 403 })
  })

  it.each([
    [{}, 'Set COCOSEARCH_EDITOR, EDITOR or VISUAL'],
    [{ VISUAL: '/nowhere/edit' }, '/nowhere/edit cannot be started'],
    [{ EDITOR: 'vim' }, 'vim needs a terminal'],
  ])('says with %j which editor is missing', async (env, message) => {
    const api = await anIndexedApi({ env })
    expect(await api.post('open-in-editor', { path: 'src/cart.ts' })).toEqual(
      failing(400, expect.stringContaining(message)),
    )
  })
})
