import { expect, it } from '@jest/globals';
import { callersTraceparent } from './traceparent.ts';

it('a caller’s traceparent is believed where it is well-formed', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  for (const right of [`00-${trace}-${span}-01`, `01-${trace}-${span}-00`])
    expect(callersTraceparent({ traceparent: right })).toBe(right);
  const others = [
    `ff-${trace}-${span}-01`,
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01\r\nx: y`,
    'x',
    undefined,
  ];
  for (const wrong of others) expect(callersTraceparent({ traceparent: wrong })).toBeUndefined();
});
