import type { Request } from '../gateway/request.ts'
import { toInbound } from './inbound.ts'
import type { World } from './world.ts'

/** What is made of a request before its call begins; one that is refused here is recorded all the same. */
export async function prepare<Made>(
  request: Request,
  world: World,
  operation: string,
  make: () => Made | Promise<Made>,
): Promise<Made> {
  try {
    return await make()
  } catch (error) {
    const inbound = toInbound(request, { operation, address: { kind: 'exposed', name: operation } })
    await world.gateway.ask(inbound, async () => {
      throw error
    })
    throw error
  }
}
