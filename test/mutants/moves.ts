import type { Mutant } from './mutant.ts'

const test = 'service/features/devices/move.test.ts'
const store = 'src/service/features/devices/move-statements.ts'
const refused = 'a device move refuses a code that %s, always with the same error'

/** A code of a later time: it ends a used code as well, as claims last longer than codes. */
const notAhead = {
  file: store,
  find: `
    .where('deviceMove.expiresAt', '<=', derived(now, latestEnd('code')))`,
  replace: '',
}

export const mutants: readonly Mutant[] = [
  {
    defense: 'storing the code of a move hashed',
    file: 'src/service/features/devices/move.ts',
    find: 'codeLookup: ctx.secrets.lookup(moveCodeText(code))',
    replace: 'codeLookup: code',
    test,
    title: 'a device move stores no code that a reader of the database could use',
  },
  {
    defense: 'using the code of a move up',
    file: store,
    find: 'codeLookup: null, ',
    replace: '',
    also: [notAhead],
    test,
    title: refused,
  },
  {
    defense: 'the end of moves in a restored backup',
    file: 'src/service/upkeep/restored-statements.ts',
    find: "  await db.deleteFrom('deviceMove').execute()\n",
    replace: '',
    test,
    title: refused,
  },
  {
    defense: 'the end of the code of a move',
    file: store,
    find: `
    .where('deviceMove.expiresAt', '>', now)`,
    replace: '',
    test,
    title: refused,
  },
  { defense: 'the longest time of the code of a move', ...notAhead, test, title: refused },
  {
    defense: 'the end of the claim of a move',
    file: store,
    find: `requested: 1 }))
      .where('expiresAt', '>', now)`,
    replace: 'requested: 1 }))',
    test,
    title: 'a device move ends two minutes after the scan if nobody confirms',
  },
  {
    defense: 'confirming a move to the device that was shown',
    file: store,
    find: 'claimId: slots.claimId, ',
    replace: '',
    test,
    title: 'a device move is confirmed for the device that was shown, and for no other',
  },
  {
    defense: 'that a move was requested on the new device',
    file: store,
    find: ', requested: 1 }))',
    replace: ' }))',
    test,
    title: 'a device move takes place only while the person asks for it on the new device',
  },
  {
    defense: 'the PIN before a move',
    file: 'src/service/features/devices/check-pin.ts',
    find: "if (!rule || rule.keyType === 'NONE') return undefined",
    replace: 'if (rule) return undefined',
    test,
    title: 'a device move that requires a PIN does not begin with %s',
  },
  {
    defense: 'the limit of test messages',
    file: 'src/service/features/devices/push.ts',
    find: 'if (wait > 0) throw',
    replace: 'if (wait < 0) throw',
    test: 'service/engine/push/push.test.ts',
    title: 'a push test can be asked for five times an hour by each device',
  },
  {
    defense: 'sending a test message to its own device',
    file: 'src/service/engine/push/statements.ts',
    find: '.where((is) => is.and({ id: deviceId, revokedAt: null }))',
    replace: ".where('id', '<>', deviceId)",
    test: 'service/engine/push/push.test.ts',
    title: 'a push test sends one message of its own kind to the device that asks, and creates no session',
  },
  {
    defense: 'the key of the device that claims a move',
    file: 'src/service/features/devices/collect-move.ts',
    find: "const verified = verify(ctx, jws, key, { method: 'POST', path: devicePaths.collectMove })",
    replace: `void key
  void verify
  const payload = peek(jws)
  const verified = { payload, claims: payload as SignedCall['claims'] }`,
    test,
    title: 'a device move gives the account to nobody but the holder of the key',
  },
]
