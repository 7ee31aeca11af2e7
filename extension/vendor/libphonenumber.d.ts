// What the extension uses of the vendored bundle; written by hand, because the bundle brings no types.

/** As ISO 3166 writes it. */
export type CountryCode = string;

/** The phone number that a text is, if it can be one. */
export function parsePhoneNumberFromString(
  text: string,
  options: { defaultCountry?: CountryCode; extract: boolean },
): { country?: CountryCode; isPossible(): boolean; isValid(): boolean } | undefined;
