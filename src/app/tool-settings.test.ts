import { expect, it } from 'vitest'
import { toolSettings } from './tool-settings.ts'

const SERVERS = ['crm', 'crm.public', 'other']

it('gives a tool its own settings, or those of all tools of its server', () => {
  const of = toolSettings({ 'crm.list': 1, 'crm.*': 2 }, SERVERS)
  expect([of('crm', 'list'), of('crm', 'get'), of('other', 'list')]).toEqual([1, 2, undefined])
})

it('never gives the settings of one server to another whose dotted name is the same', () => {
  const of = toolSettings({ 'crm.public.list': 1 }, SERVERS)
  expect(of('crm.public', 'list')).toBe(1)
  expect(of('crm', 'public.list')).toBeUndefined()
  expect(toolSettings({ crm__public_list: 1 }, SERVERS)('crm', 'public_list')).toBe(1)
})
