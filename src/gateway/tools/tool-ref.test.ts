import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ToolRef, exposeAll, exposedName, parseToolRef, toolKey } from './tool-ref.ts'

describe('toolKey', () => {
  it('tells apart tools whose dotted names are equal', () => {
    const one = { server: 'crm', name: 'public.list' }
    const other = { server: 'crm.public', name: 'list' }
    expect(toolKey(one)).not.toBe(toolKey(other))
    expect(toolKey(one)).toBe(toolKey({ ...one }))
  })
})

describe('parseToolRef', () => {
  it('takes both separators, the longest server name first', () => {
    const servers = ['crm', 'crm.public', 'other']
    expect(parseToolRef('crm.public.list', servers)).toEqual([
      { server: 'crm.public', name: 'list' },
      { server: 'crm', name: 'public.list' },
    ])
    expect(parseToolRef('crm__public.list', servers)).toEqual([
      { server: 'crm', name: 'public.list' },
    ])
  })

  it('finds nothing without a known server and a tool', () => {
    for (const text of ['list', 'crm', 'crm.', 'crm__', 'crmx.list', 'unknown.list'])
      expect(parseToolRef(text, ['crm'])).toEqual([])
  })
})

describe('exposeAll', () => {
  it('gives every tool one name, plain and short, and no two tools the same', () => {
    const part = fc.stringMatching(/^[ab_.]{1,6}$/)
    const refs = fc.uniqueArray(fc.record({ server: part, name: part }), {
      maxLength: 40,
      selector: toolKey,
    })
    fc.assert(
      fc.property(refs, (all: ToolRef[]) => {
        const names = exposeAll(all)
        expect(names.size).toBe(all.length)
        expect([...names.values()].map(toolKey).toSorted()).toEqual(all.map(toolKey).toSorted())
        for (const name of names.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,49}$/)
      }),
    )
  })

  it('is not misled by a tool that bears the hashed name of another', () => {
    const odd = { server: 'a', name: 'b c' }
    const hashed = exposedName(odd)
    const squatter = { server: 'a', name: hashed.slice('a__'.length) }
    const names = exposeAll([odd, squatter])
    expect(names.size).toBe(2)
    expect(names.has(hashed)).toBe(false)
  })

  it('names a pair the same whatever else there is, and tells apart what reads the same', () => {
    expect(exposedName({ server: 'a', name: 'b__c' })).toBe('a__b__c')
    expect(exposedName({ server: 'a__b', name: 'c' })).toMatch(/^a__b__c_[\da-f]{6}$/)
    expect(exposedName({ server: 'a', name: '_b' })).toBe('a___b')
    expect(exposedName({ server: 'a_', name: 'b' })).toMatch(/^a___b_[\da-f]{6}$/)
    expect(exposedName({ server: 'A', name: 'x' })).not.toBe(
      exposedName({ server: 'a', name: 'x' }),
    )
  })

  it('shows the whole name of a tool where that of its server is too long for both', () => {
    // As the gallery of VS Code names servers.
    const server = 'io.github.ChromeDevTools/chrome-devtools-mcp'
    const exposed = (name: string) => exposedName({ server, name })
    expect(exposed('performance_start_trace')).toMatch(
      /^io_github_[\w-]+__performance_start_trace_[0-9a-f]{6}$/,
    )
    expect(exposed('performance_start_trace')).toHaveLength(49)
    expect(exposed('click')).toMatch(/^io_github_ChromeDevTools_chrome-dev__click_[0-9a-f]{6}$/)
    expect(exposed('n'.repeat(80))).toMatch(/^io_githu__n{32}_[0-9a-f]{6}$/)
  })

  it('keeps a name of 49 characters as it is, and shortens a longer one to that', () => {
    const fits = { server: 'a', name: 'n'.repeat(46) }
    expect(exposedName(fits)).toBe(`a__${fits.name}`)
    const long = exposedName({ server: 'a', name: 'n'.repeat(47) })
    expect(long).toMatch(/^a__n{39}_[\da-f]{6}$/)
    expect(long).not.toBe(exposedName({ server: 'a', name: `${'n'.repeat(47)}m` }))
  })

  it('names a tool the same, whatever else there is, as long as nothing shares its name', () => {
    const odd = { server: 'a', name: 'höher' }
    const [alone] = exposeAll([odd]).keys()
    const [beside] = exposeAll([odd, { server: 'a', name: 'other' }]).keys()
    expect(alone).toMatch(/^a__h_her_[\da-f]{6}$/)
    expect(beside).toBe(alone)
    expect(exposedName(odd)).toBe(alone)
  })
})
