import { expect, it } from 'vitest'
import { httpOrigin, isLocalName, isPrivateAddress, localOrigin } from './net.ts'

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '0.0.0.0',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:FFFF:7F00:1',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:a00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::1',
  '2002:5db8:d822::1',
  '2001::1',
  '2001:0:7f00:1::1',
  'fec0::1',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

it.each([
  '93.184.216.34',
  '2606:2800:220:1::1',
  '2001:4860:4860::8888',
  '2003::1',
  '64:ff9c::1',
  '::ffff:93.184.216.34',
  'localhost',
  '',
])('%s is not a private address', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

it.each([
  ['127.0.0.1', 'http://127.0.0.1:7411', 'http://127.0.0.1:7411'],
  ['gateway.example', 'http://gateway.example:7411', 'http://gateway.example:7411'],
  ['::1', 'http://[::1]:7411', 'http://[::1]:7411'],
  ['fd00::5', 'http://[fd00::5]:7411', 'http://[fd00::5]:7411'],
  ['0.0.0.0', 'http://0.0.0.0:7411', 'http://127.0.0.1:7411'],
  ['::', 'http://[::]:7411', 'http://[::1]:7411'],
])('a server on %s is at %s, and for this machine at %s', (host, origin, here) => {
  expect(httpOrigin(host, 7411)).toBe(origin)
  expect(localOrigin(host, 7411)).toBe(here)
})

it.each([
  ['localhost', true],
  ['LOCALHOST.', true],
  ['a.localhost..', true],
  ['localhost.localdomain', true],
  ['printer.local', true],
  ['metadata.google.internal.', true],
  ['host.docker.internal', true],
  ['router.home.arpa', true],
  ['metadata', true],
  ['instance-data', true],
  ['internal.example', false],
  ['mylocalhost', false],
  ['notlocal', false],
  ['metadata.example', false],
  ['example.com.', false],
  ['', false],
])('%s is a name for private addresses: %s', (host, isLocal) => {
  expect(isLocalName(host)).toBe(isLocal)
})
