/** What a person typed on the device that verified a caller. Of earlier verifications nothing is known, so they count as the weakest. */
export const callerStrength: readonly string[] = [
  "alter table caller_verification add column key_type text not null default 'NONE'",
]
