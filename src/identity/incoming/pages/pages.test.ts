import { expect, it } from 'vitest'
import { type ClientView, consentPage, signInPage } from './pages.ts'

const LOCAL: ClientView = { name: 'Editor', leadsTo: '127.0.0.1:9', isLocal: true }
const VOUCHED: ClientView = {
  name: 'Editor',
  host: 'editor.example',
  leadsTo: 'editor.example',
  isLocal: false,
}

const signIn = (more: Partial<Parameters<typeof signInPage>[0]> = {}) =>
  signInPage({ token: 't1', hasUsers: false, ...more })

it('a client is named where one wants to connect, and can be turned away', () => {
  const page = signIn({ client: VOUCHED })
  expect(page).toContain(
    '<strong>Editor</strong> of <strong>editor.example</strong> wants to connect',
  )
  expect(page).toContain('value="cancel"')
  const dashboard = signIn()
  expect(dashboard).not.toContain('wants to connect')
  expect(dashboard).not.toContain('value="cancel"')
})

it('offers what there is to sign in with', () => {
  expect(signIn()).not.toContain('name="password"')
  expect(signIn({ hasUsers: true })).toContain('name="password"')
  expect(signIn()).not.toContain('Continue with')
  const provider = { name: 'idp.example', address: '/oauth/x' }
  expect(signIn({ provider })).toContain('href="/oauth/x">Continue with idp.example')
  expect(signIn()).not.toContain('role="alert"')
  expect(signIn({ problem: '<no>' })).toContain('role="alert">&lt;no&gt;')
})

const consent = (more: Partial<Parameters<typeof consentPage>[0]> = {}) =>
  consentPage({
    client: LOCAL,
    token: 't1',
    agent: 'ada',
    via: 'with a key',
    groups: [],
    servers: [],
    effects: ['read'],
    denied: [],
    ...more,
  })

it('says what a client gets, and who vouches for it', () => {
  const alone = consent()
  expect(alone).toContain('None yet: the rules allow nothing to ada.')
  expect(alone).toContain('The name of this client is not verified')
  expect(alone).toContain('You are signed in with a key.')
  expect(alone).toContain('use tools that read')
  expect(alone).not.toContain('use tools that delete')
  const more = consent({
    client: VOUCHED,
    groups: ['ops', 'night'],
    servers: [
      { name: 'mail', tools: 2 },
      { name: 'idle', tools: 0 },
    ],
    effects: ['delete'],
  })
  expect(more).toContain('<li>mail (2 tools)</li>')
  expect(more).toContain('<li>idle</li>')
  expect(more).not.toContain('None yet')
  expect(more).not.toContain('is not verified')
  expect(more).toContain('You are signed in with a key, groups: ops, night.')
  expect(more).toContain('use tools that delete')
  expect(more).not.toContain('use tools that read')
})

it('offers nothing that the rules deny to the person, and says so', () => {
  const page = consent({ effects: ['read'], denied: ['write', 'delete'] })
  expect(page.match(/<input\s+type="checkbox"[^>]*>/g)).toEqual([
    '<input type="checkbox" name="effect" value="read" checked />',
  ])
  expect(page.replaceAll(/\s+/g, ' ')).toContain(
    'use tools that change things, and to use tools that delete. The rules',
  )
  expect(consent()).not.toContain('It also asks to')
})
