import { describe, expect, it } from 'vitest'
import { exposedUri, parseExposedUri } from './resource-uri.ts'

describe('the URI that clients know', () => {
  it.each([
    ['weather', 'ui://map/view.html', 'ui://weather+map/view.html'],
    ['weather', 'note:1', 'note:weather+1'],
    ['docs', 'skill://pdf/SKILL.md', 'skill://docs+/pdf/SKILL.md'],
    ['docs', 'skill:///pdf/SKILL.md', 'skill://docs+//pdf/SKILL.md'],
    ['weather', 'urn:isbn:12', 'urn:weather+isbn:12'],
    ['weather', 'city://{name}/now{?unit}', 'city://weather+{name}/now{?unit}'],
    ['my server', 'note://1', 'note://my~20~server+1'],
    ['a+b', 'note://1', 'note://a~2b~b+1'],
    ['naïve~', 'note://1', 'note://na~ef~ve~7e~+1'],
    ['files', 'file:///tmp/a.txt', 'portolan:files+file:///tmp/a.txt'],
    ['files', 'file:///{+path}', 'portolan:files+file:///{+path}'],
    ['web', 'https://example.com/x?y#z', 'portolan:web+https://example.com/x?y#z'],
    ['web', 'HTTP://127.0.0.1/', 'portolan:web+HTTP://127.0.0.1/'],
    ['db', 'redis://[::1]:6379/0', 'portolan:db+redis://[::1]:6379/0'],
    ['any', '{+uri}', 'portolan:any+{+uri}'],
    ['odd', 'no scheme at all', 'portolan:odd+no scheme at all'],
    ['odd', '', 'portolan:odd+'],
    ['odd', 'portolan:x', 'portolan:odd+portolan:x'],
  ])('of %s: %s is %s, and back', (server, uri, exposed) => {
    expect(exposedUri(server, uri)).toBe(exposed)
    expect(parseExposedUri(exposed)).toEqual({ server, uri })
  })

  it('stays readable for programs that parse URLs', () => {
    const uris = ['ui://map/view.html', 'file:///a', 'http://127.0.0.1:80/', 'note:1']
    for (const uri of uris) {
      const exposed = exposedUri('My server 1.0', uri)
      expect(new URL(exposed).href).toBe(exposed)
    }
  })

  it('is another one for each server, though one server takes the form of the other', () => {
    const victim = exposedUri('bank', 'ui://pay')
    const spoofed = exposedUri('evil', victim)
    expect(spoofed).not.toBe(victim)
    expect(parseExposedUri(spoofed)).toEqual({ server: 'evil', uri: victim })
  })

  it.each([
    'ui://map/view.html',
    'note:1',
    'plain',
    '',
    'x://+1',
    'x://~zz~+1',
    'x://~ffffff~+1',
    'https://a+b/x',
  ])('is none where no server is named: %s', (uri) => expect(parseExposedUri(uri)).toBeUndefined())

  it('means one thing only: another spelling of a name is no name', () => {
    expect(parseExposedUri('note://~61~+1')).toBeUndefined()
    expect(parseExposedUri('note://a+1')).toEqual({ server: 'a', uri: 'note://1' })
  })

  it('is found by an expanded template', () => {
    const template = exposedUri('a', 'note:{+rest}')
    const expanded = template.replace('{+rest}', '//x')
    expect(parseExposedUri(expanded)).toEqual({ server: 'a', uri: 'note://x' })
  })
})
