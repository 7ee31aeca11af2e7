import type { PageNote, PdfDocument } from "../../shared/types.d.ts";

declare global {
  /** What vendor/pdfjs.js leaves of pdf.js. */
  var chromeTabPdfjs: { getDocument(source: object): { promise: Promise<PdfDocument> } };
  var chromeTabPdf: typeof pdfText & {
    /** What has been read; see page/pdf/pdf-text.js. */
    read?: { text: string; notes: PageNote[]; problem: string; isFinal: boolean };
  };
}
