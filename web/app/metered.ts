/** Whether the reader pays for each byte, or has asked for few of them. */
export function metered(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string } };
  return connection?.saveData === true || connection?.type === "cellular";
}
