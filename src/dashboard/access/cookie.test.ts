import { expect, it } from 'vitest'
import { anHttpRequest } from '../../../test/support/an-http-request.ts'
import { loginCookie, logoutCookie, readCookie } from './cookie.ts'

const plain = anHttpRequest()
const behindTls = anHttpRequest({ 'x-forwarded-proto': 'https' })
const carrying = (cookie: string) => anHttpRequest({ cookie })

it('is sent to the API of the dashboard alone, and no script or other site gets it', () => {
  expect(loginCookie('ptk_1', plain)).toBe(
    'portolan_key=ptk_1; Path=/api/dashboard; HttpOnly; SameSite=Strict',
  )
  expect(loginCookie('ptk_1', behindTls)).toBe(`${loginCookie('ptk_1', plain)}; Secure`)
})

it('comes back as the key that it was made of, among other cookies', () => {
  const key = 'a; b=c ü%'
  const [pair = ''] = loginCookie(key, plain).split('; Path')
  expect(readCookie(carrying(pair))).toBe(key)
  expect(readCookie(carrying(`x=1; ${pair}; portolan_key=second`))).toBe(key)
})

it.each([
  ['no cookie', ''],
  ['another name', 'portolan_keys=ptk_1'],
  ['an empty one', 'portolan_key='],
  ['one that is not encoded right', 'portolan_key=%zz'],
])('is none with %s', (_, cookie) => {
  expect(readCookie(carrying(cookie))).toBeUndefined()
  expect(readCookie(plain)).toBeUndefined()
})

it('ends at once when its user leaves', () => {
  expect(logoutCookie(plain)).toBe(
    'portolan_key=; Path=/api/dashboard; HttpOnly; SameSite=Strict; Max-Age=0',
  )
})
