import { expect, it } from 'vitest'
import { GatewayError } from '../gateway/errors.ts'
import { toPromisedToolError, toToolError } from './failure.ts'

it('tells a model in plain text all that it needs to call again', () => {
  const error = new GatewayError('INVALID_PARAMS', 'Invalid arguments for start: 2 problems.', {
    hint: 'Correct all of them and call again.',
    data: {
      problems: [
        { path: 'size', expected: 'integer', got: '"many"' },
        { path: 'zon', expected: 'no such field', got: '1', did_you_mean: 'zone' },
      ],
      coerced: ['n: "3" → 3'],
      example: { size: 1, n: 3 },
    },
  })
  expect(toToolError(error)).toMatchObject({
    isError: true,
    content: [
      {
        text: `Invalid arguments for start: 2 problems.
- size: expected integer, got "many"
- zon: expected no such field, got 1; did you mean zone?
Read as: n: "3" → 3
Example: {"size":1,"n":3}
Correct all of them and call again.`,
      },
    ],
  })
})

it('leaves out structured content where a tool promises an output schema', () => {
  const error = new GatewayError('RATE_LIMITED', 'Too many calls.', { hint: 'Wait a little.' })
  expect(toPromisedToolError(error)).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'Too many calls.\nWait a little.' }],
    _meta: { 'portolan/error': error.toObject() },
  })
})
