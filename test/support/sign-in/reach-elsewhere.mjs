// Preloaded into a gateway: what it would get from a host of the internet it gets from this machine.
// REACH_ELSEWHERE is JSON, from a host to the address that answers for it.
import tls from 'node:tls'

const places = JSON.parse(process.env.REACH_ELSEWHERE ?? '{}')
const { connect } = tls

tls.connect = (options, ...rest) => {
  const place = places[options.host]
  if (place === undefined) return connect(options, ...rest)
  const { hostname, port } = new URL(place)
  const { lookup: _, ...others } = options
  return connect({ ...others, host: hostname, port, servername: hostname }, ...rest)
}
