import type { Mutant } from './mutant.ts'

const rules = 'src/service/features/factors/rules.ts'
const test = 'service/features/factors/change-pass.test.ts'

/** Each condition of the one sign-in that changes something: it makes the first recovery codes. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'first recovery codes only for users who never had any',
    file: rules,
    find: '!hadCodes && ',
    replace: '',
    test,
    title: 'a sign-in gives no pass for recovery codes to users who ever had codes',
  },
  {
    defense: 'that a code is noted for good',
    file: 'src/service/features/bypass-codes/operations.ts',
    find: '  await noteCodes(db, input.userId)\n',
    replace: '',
    test,
    title: 'a sign-in by the only factor gives a pass for the first recovery codes, once',
  },
  {
    defense: 'first recovery codes only for users with one factor',
    file: rules,
    find: 'factorIds.length === 1 && only === pass.factorId',
    replace: "factorIds.includes(pass.factorId ?? only ?? '')",
    test,
    title: 'a sign-in gives no pass for recovery codes to users with two factors',
  },
  {
    defense: 'first recovery codes only by the factor that the user has',
    file: rules,
    find: 'isCurrent(pass, now) && !hadCodes && factorIds.length === 1 && only === pass.factorId',
    replace: '!hadCodes && factorIds.length === 1 && only !== undefined',
    test,
    title: 'a sign-in by a factor that has been replaced gives no pass for recovery codes',
  },
  {
    defense: 'first recovery codes only within ten minutes',
    file: rules,
    find: "pass.purpose === 'sign_in' && isCurrent(pass, now)",
    replace: "pass.purpose === 'sign_in'",
    test,
    title: 'a sign-in more than ten minutes ago gives no pass for recovery codes',
  },
  {
    defense: 'that a sign-in makes recovery codes and changes nothing else',
    file: 'src/service/features/factors/change-pass.ts',
    find: "changed === 'codes' && mayMakeFirstCodes",
    replace: 'mayMakeFirstCodes',
    test,
    title: 'a sign-in gives a pass for the first recovery codes and for nothing else',
  },
]
