/** The checks of a proof, in their order. Each message says what is wrong, and quotes nothing of the proof. */
export const proofFaults = Object.freeze({
  'proof.malformed': 'The proof is not an object with an answer and a receipt.',
  'receipt.malformed': 'The receipt is not a compact JWS.',
  'receipt.header':
    'The header of the receipt is not that of a receipt: alg ES256, typ approval-receipt+jws and a kid.',
  'receipt.key': 'The key of the receipt is not among the trusted keys.',
  'receipt.signature': 'The signature of the receipt is wrong.',
  'receipt.claims': 'The receipt has missing, unknown or invalid members.',
  'receipt.service': 'The receipt is from another service.',
  'receipt.future': 'The receipt is dated in the future.',
  'answer.digest': 'The receipt belongs to another answer.',
  'answer.malformed':
    'The answer is neither a compact JWS of a device nor the answer of a passkey, as its receipt says.',
  'answer.header': 'The header of the answer is not that of an answer: alg ES256 and typ approval+jws.',
  'answer.signature': 'The signature of the answer is wrong.',
  'answer.claims': 'The answer has missing, unknown or invalid members.',
  'answer.approval': 'The answer and its receipt are about different approvals.',
  'answer.service': 'The answer is for another service than its receipt.',
  'answer.device': 'The answer is from another device than its receipt.',
  'answer.decision': 'The answer and its receipt have different decisions.',
  'passkey.ceremony': 'The passkey has signed something else than an answer to a page.',
  'passkey.challenge': 'The challenge that the passkey has signed is not that of the content.',
  'passkey.relyingparty': 'The passkey has signed for another site than its receipt says.',
  'passkey.presence': 'The passkey has signed without a person present.',
  'passkey.verification': 'The passkey and its receipt disagree on whether the person was verified.',
  'content.malformed': 'The content has missing, unknown or invalid members.',
  'content.approval': 'The content is that of another approval.',
  'content.app': 'The content is that of another app.',
  'content.time': 'The answer was accepted outside the time in which the content can be approved.',
  'approval.malformed': 'The approval has missing or invalid members.',
  'approval.state': 'The approval does not say that it is approved.',
  'approval.answer': 'An answer in the approval is about another approval or content, or of another person.',
  'approval.duplicate': 'A person stands in the approval twice.',
  'approval.requester': 'The requester is one of the people who approved.',
  'approval.count': 'Fewer people have approved than the content requires.',
})

/** Which check failed. */
export type ProofFault = keyof typeof proofFaults

/** A proof is not valid. Switch on `fault`; the message is for people and may change. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly fault: ProofFault

  constructor(fault: ProofFault, options?: ErrorOptions) {
    super(proofFaults[fault], options)
    this.fault = fault
  }
}

/** @throws {ProofError} unless the check holds. */
export function check(holds: boolean, fault: ProofFault): asserts holds {
  if (!holds) throw new ProofError(fault)
}
