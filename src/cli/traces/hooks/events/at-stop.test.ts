import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aTrace } from '../../../../../test/support/traces-client.ts'
import { TRACE_ID, hookSession } from '../../../../../test/support/hook-session.ts'
import { saveHookSetting } from '../hook-config.ts'

const on = hookSession()

const pendingFiles = async () => readdir(join(on().home, 'hooks/pending')).catch(() => [])

describe('the end of a session', () => {
  it('proposes a trace once if an error was solved, with what was measured', async () => {
    await writeFile(on().folder.file('go.mod'), 'module x')
    await on().fails()
    expect(await on().hook('Stop', {})).toBeUndefined()
    await on().edits('a.ts')
    await on().works()
    expect(await on().hook('Stop', { stop_hook_active: true })).toBeUndefined()
    const output = await on().hook('Stop', {})
    expect(output).toMatchObject({ decision: 'block' })
    expect(String(output?.['reason'])).toMatch(
      /Ask the user.*Yes, Skip, Always.*"language":"go","detection_pattern":"error_resolution","error_count":1,"iterations":1,"minutes":0.*HTTP 403.*portolan traces admin hooks auto_contribute true/s,
    )
    expect(await on().hook('Stop', {})).toBeUndefined()
  })

  it.each([
    ['an error that went away without an edit', async () => (await on().fails(), on().works())],
    [
      'an edit after the command worked again',
      async () => (await on().fails(), await on().works(), on().edits('a.ts')),
    ],
    ['an edit alone', async () => (await on().edits('a.ts'), on().works())],
    [
      'an error of another command',
      async () => (
        await on().fails(),
        await on().edits('a.ts'),
        on().works({ tool_input: { command: 'ls' } })
      ),
    ],
  ])('proposes nothing for %s', async (_, happens) => {
    await happens()
    expect(await on().hook('Stop', {})).toBeUndefined()
  })

  it('proposes nothing if the agent has contributed already', async () => {
    await on().solves()
    await on().contributes('Trace submitted successfully (ID: 1). Status: pending')
    expect(await on().hook('Stop', {})).toBeUndefined()
  })

  it('asks nothing where the user has said Always', async () => {
    await saveHookSetting(on().env, 'auto_contribute', 'true')
    await on().solves()
    const output = await on().hook('Stop', {})
    expect(output?.['reason']).toMatch(/Without asking, call contribute_trace once/)
    expect(output?.['reason']).not.toMatch(/Ask the user/)
  })
})

describe('a contribution', () => {
  it('gives the user a receipt when it is stored, through either surface of the gateway', async () => {
    const direct = await on().contributes(
      `Trace submitted successfully (ID: ${TRACE_ID}). Status: pending`,
    )
    expect(direct?.['systemMessage']).toContain(TRACE_ID)
    const discovered = await on().hook('PostToolUse', {
      tool_name: 'mcp__portolan__execute_tool',
      tool_input: { server: 'traces', tool: 'contribute_trace', args: aTrace() },
      tool_response: { content: [{ type: 'text', text: `Trace submitted successfully (ID: 2).` }] },
    })
    expect(discovered?.['systemMessage']).toMatch(/^Shared as a trace/)
    expect(await pendingFiles()).toEqual([])
  })

  it.each([
    ['a refusal', '[CommonTrace error] Contribution requires an invitation. (HTTP 403)'],
    ['an outage', '[CommonTrace unavailable] The knowledge base is temporarily unreachable.'],
    ['silence', '[CommonTrace timeout] The knowledge base did not confirm in time.'],
  ])('is never shown as shared after %s: it waits, and is delivered later', async (_, text) => {
    const output = await on().contributes(text)
    expect(JSON.stringify(output)).toContain('NOT stored')
    expect(String(output?.['systemMessage'])).toMatch(/was not shared/)
    expect(await on().hook('Stop', {})).toBeUndefined()
    expect(await pendingFiles()).toHaveLength(1)
    const started = await on().hook('SessionStart', {})
    expect(JSON.stringify(started)).toContain(
      '1 trace(s) that waited on this machine are shared now',
    )
    expect(await pendingFiles()).toEqual([])
    const { body } = await on().ask('GET', '/traces')
    expect(body['traces']).toMatchObject([{ metadata_json: { language: 'go' } }])
  })

  it('waits as long as the service refuses, and says why; what is refused for good is set aside', async () => {
    const lost = await on().contributes('', {
      tool_response: undefined,
      error: 'MCP server went away',
    })
    expect(JSON.stringify(lost)).toContain('NOT stored: MCP server went away')
    on().env['PORTOLAN_TRACES_REQUIRE_INVITATION'] = 'true'
    const output = JSON.stringify(await on().hook('SessionStart', {}))
    expect(output).toMatch(/1 trace\(s\) still wait to be shared. It said: .*invitation.*HTTP 403/)
    delete on().env['PORTOLAN_TRACES_REQUIRE_INVITATION']
    await on().contributes('[CommonTrace unavailable]', {
      tool_input: { title: 'Untitled', context_text: 'N/A', solution_text: 'done' },
    })
    const later = JSON.stringify(await on().hook('SessionStart', { session_id: 'later' }))
    expect(later).toMatch(/1 trace\(s\) that waited .* 1 trace\(s\) are set aside/)
    expect(await pendingFiles()).toEqual([expect.stringMatching(/\.refused$/)])
  })

  it('that is there already becomes a vote or an amendment; one that breaks a rule is fixed', async () => {
    const twice = await on().contributes('[CommonTrace error] Nearly the same as x (HTTP 409)')
    expect(JSON.stringify(twice)).toMatch(/vote_trace it up, or amend_trace it/)
    const secret = await on().contributes('[CommonTrace error] Content rejected: secret (HTTP 422)')
    expect(JSON.stringify(secret)).toMatch(/NOT stored. Fix what the service names/)
    expect(await pendingFiles()).toEqual([])
  })
})

describe('going on to other work', () => {
  it('shares in the background what was solved, only where the user has agreed to it', async () => {
    await on().solves()
    const goOn = async () =>
      on().hook('UserPromptSubmit', { prompt: 'Great. On to the next task: docs' })
    expect(await goOn()).toBeUndefined()
    on().env['CT_AUTO_CONTRIBUTE_ON_MOVE_ON'] = 'true'
    expect(await on().hook('UserPromptSubmit', { prompt: 'explain that' })).toBeUndefined()
    expect(JSON.stringify(await goOn())).toMatch(/sub-agent in the background.*iterations/)
    expect(await goOn()).toBeUndefined()
    expect(await on().hook('Stop', {})).toBeUndefined()
  })
})
