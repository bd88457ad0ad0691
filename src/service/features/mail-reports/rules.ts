/** How long the reader of a mail can say that it was not them, seconds. */
export const mailReportLifetime = 7 * 24 * 60 * 60
