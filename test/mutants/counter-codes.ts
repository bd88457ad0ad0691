import type { Mutant } from './mutant.ts'

const statements = 'src/service/features/codes/statements.ts'
const hotp = 'src/service/features/codes/hotp.ts'
const csv = 'src/service/features/hardware/files/oath-csv.ts'
const unit = 'service/features/codes/hotp.test.ts'
const whole = 'service/features/codes/counter-codes.test.ts'
const csvTest = 'service/features/hardware/files/oath-csv.test.ts'

/** Tokens that count presses (HOTP). */
export const mutants: readonly Mutant[] = [
  {
    defense: 'remembering the counter of a code',
    file: statements,
    find: '.set({ counter: next, usedAt: at,',
    replace: '.set({ usedAt: at,',
    test: 'service/features/codes/code-nodes.test.ts',
    title: 'two nodes accept the code of a counter once when 64 requests use it at once',
  },
  {
    defense: 'the condition by which a counter is used once',
    file: statements,
    find: "    .where('counter', '<', next)\n",
    replace: '',
    test: whole,
    title: 'a counter is used up by one of many statements, whatever they have read before',
  },
  {
    defense: 'how many counters are looked ahead',
    file: hotp,
    find: 'const lookAhead = 10\n',
    replace: 'const lookAhead = 20\n',
    test: unit,
    title: 'a counter-based code of counter %i is %s where 1000 is next',
  },
  {
    defense: 'computing the codes of all counters in reach',
    file: hotp,
    find: 'counters.filter((counter) => isSameText(codeOf(counter), code))[0]',
    replace: 'counters.find((counter) => isSameText(codeOf(counter), code))',
    test: 'service/features/codes/equal-work.test.ts',
    title:
      'a code takes the same work whichever factor it is of and whatever the user has, and a wrong one takes four times the HMACs',
  },
  {
    defense: 'two codes of a counter that follow each other',
    file: hotp,
    find: 'counter !== seenCounter + 1',
    replace: 'counter <= seenCounter',
    test: unit,
    title: 'a counter-based code is accepted after the one before it was seen, and no other',
  },
  {
    defense: 'how long the first of two codes of a counter counts',
    file: hotp,
    find: 'now - seenAt <= maxTimeBetween && ',
    replace: '',
    test: unit,
    title: 'a counter-based code is accepted for five minutes after the one before it was seen, and no longer',
  },
  {
    defense: 'the counter that an administrator makes known after a restore',
    file: statements,
    find: "advance(db, id, { next, at }).where('needsResynchronization', '=', 0)",
    replace: 'advance(db, id, { next, at })',
    test: whole,
    title: 'a code of a counter is refused after a restore until an administrator resynchronizes the token',
  },
  {
    defense: 'the counters that are not known after a restore',
    file: 'src/service/upkeep/restored-statements.ts',
    find: '.set({ needsResynchronization: 1, seenCounter: null,',
    replace: '.set({ seenCounter: null,',
    test: whole,
    title: 'a code of a counter is refused after a restore until an administrator resynchronizes the token',
  },
  {
    defense: 'the second of the two codes that resynchronize a counter',
    file: hotp,
    find: ' && isSameText(codeOf(counter + 1), second)',
    replace: ' && second !== undefined',
    test: unit,
    title: 'the resynchronization of a counter refuses codes that were used or do not follow each other',
  },
  {
    defense: 'how far ahead a counter is resynchronized',
    file: hotp,
    find: 'const administratorLookAhead = 1_000\n',
    replace: 'const administratorLookAhead = 10_000\n',
    test: unit,
    title:
      'the resynchronization of a counter finds two codes that follow each other a thousand codes ahead, and no further',
  },
  {
    defense: 'a token has a counter or a time',
    file: 'src/contract/hardware.ts',
    find: "report(name, 'must be absent with a counter: codes of HOTP have no time')",
    replace: 'name',
    test: whole,
    title: 'a token that counts presses is refused because of %s where it is %j',
  },
  {
    defense: 'a field that may be a counter or a time step',
    file: csv,
    find: "isCounted && !isInFile && fieldOf('step') !== ''",
    replace: "isCounted && !isInFile && fieldOf('step') === 'x'",
    test: csvTest,
    title: 'the OATH CSV reader rejects a row with %s, without printing its seed',
  },
  {
    defense: 'a counter without a type',
    file: csv,
    find: "type === '' && fieldOf('counter') !== ''",
    replace: "type === 'x' && fieldOf('counter') !== ''",
    test: csvTest,
    title: 'the OATH CSV reader rejects a row whose type and digits differ, and one with a counter and no type',
  },
  {
    defense: 'files of Yubico OTP, whose keys look like seeds',
    file: csv,
    find: '  refuseYubico(record)\n',
    replace: '',
    test: csvTest,
    title: 'the OATH CSV reader refuses a %s of Yubico OTP by name, and quotes nothing',
  },
]
