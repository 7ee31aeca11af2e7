"""A hotel's forms, made with Gradio: bookings and messages go to a file. python hotel.py PORT FILE."""

import json
import sys
from pathlib import Path

import gradio as gr

PORT, STORE = int(sys.argv[1]), Path(sys.argv[2])
PRICES = {"Single": 80, "Double": 120, "Suite": 210}


def store(kind: str, **fields: object) -> int:
    """Append an entry and return its number."""
    entries = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else []
    entries.append({"kind": kind, **fields})
    STORE.write_text(json.dumps(entries), encoding="utf-8")
    return len(entries)


def book(guest: str, room: str, nights: int, breakfast: bool, extras: list[str], arrival: str) -> str:
    """Book a room."""
    if not guest:
        raise gr.Error("A guest needs a name.")
    fields = {"room": room, "nights": nights, "breakfast": breakfast, "extras": extras, "arrival": arrival}
    number = store("booking", guest=guest, **fields)
    total = nights * (PRICES[room] + 12 * breakfast) + 25 * len(extras)
    return f"Booking {number + 700} for {guest}: {room}, {nights} nights from {arrival}, {total} EUR"


def send(kind: str, message: str) -> str:
    """Record a message."""
    return f"Ticket T-{store('message', subject=kind, message=message) + 40} ({kind})"


with gr.Blocks(title="Hotel") as hotel:
    gr.Markdown("# Hotel at the lake")
    with gr.Tab("Booking"):
        name = gr.Textbox(label="Guest")
        choice = gr.Dropdown(list(PRICES), value="Single", label="Room")
        length = gr.Slider(1, 14, value=2, step=1, label="Nights")
        meal = gr.Checkbox(label="Breakfast")
        more = gr.Dropdown(["Boat trip", "Parking", "Sauna", "Late checkout"], multiselect=True, label="Extras")
        day = gr.DateTime(include_time=False, type="string", label="Arrival")
        confirmation = gr.Textbox(label="Confirmation", interactive=False)
        gr.Button("Book", variant="primary").click(book, [name, choice, length, meal, more, day], confirmation)
    with gr.Tab("Contact"):
        subject = gr.Radio(["Question", "Complaint", "Praise"], value="Question", label="Subject")
        text = gr.Textbox(label="Message", lines=3)
        ticket = gr.Textbox(label="Ticket", interactive=False)
        gr.Button("Send").click(send, [subject, text], ticket)

hotel.launch(server_name="127.0.0.1", server_port=PORT, quiet=True)
