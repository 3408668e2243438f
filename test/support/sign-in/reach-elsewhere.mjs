// Preloaded into a gateway: what it would get from a host of the internet it gets from this machine.
// REACH_ELSEWHERE is JSON, from a host to the address that answers for it.
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

const places = JSON.parse(process.env.REACH_ELSEWHERE ?? '{}')
const { request } = https

https.request = (url, options, answer) => {
  const place = places[new URL(url).host]
  if (place === undefined) return request(url, options, answer)
  const { pathname, search } = new URL(url)
  const { lookup: _, ...rest } = options
  return request(new URL(pathname + search, place), rest, answer)
}
syncBuiltinESMExports()
