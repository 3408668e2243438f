/**
 * A request of the operator to a built-in server. It is no tool and not listed, and agents cannot send
 * it: their requests are forwarded by name (`FORWARDED_METHODS`). It runs through the same chain.
 */
export const OPERATE = 'portolan/operate'
