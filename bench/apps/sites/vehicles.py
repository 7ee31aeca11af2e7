"""A list of vehicles and a form for trips, made with Streamlit: trips go to the file named in the arguments."""

import datetime as dt
import json
import sys
from pathlib import Path

import pandas as pd
import streamlit as st

STORE = Path(sys.argv[1])
STATES = ("free", "on the road", "service")


def fleet() -> pd.DataFrame:
    """Return forty vehicles."""
    rows = [
        {"vehicle": f"EV{n:03}", "state": STATES[n * 7 % 3], "kilometres": 3000 + n * 7919 % 90_000, "seats": 2 + n % 6}
        for n in range(40)
    ]
    return pd.DataFrame(rows)


def show_vehicles() -> None:
    """Show the list, filtered."""
    st.title("Vehicles")
    states = st.sidebar.multiselect("State", STATES, default=STATES)
    low, high = st.sidebar.slider("Kilometres", 0, 100_000, (0, 100_000), step=1000)
    found = fleet()
    found = found[found.state.isin(states) & found.kilometres.between(low, high)]
    st.caption(f"{len(found)} vehicles match")
    st.dataframe(found, hide_index=True)
    with st.expander("Totals"):
        st.metric("Kilometres in all", f"{found.kilometres.sum():,}")


def take_trip() -> None:
    """Show the form for a trip."""
    st.title("New trip")
    vehicle = st.selectbox("Vehicle", fleet().vehicle)
    day = st.date_input("Day", dt.date(2026, 11, 2))
    departure = st.time_input("Departure", dt.time(8, 0))
    purpose = st.text_input("Purpose")
    passengers = st.number_input("Passengers", 0, 8, 0)
    if st.button("Save trip"):
        trips = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else []
        trip = {"vehicle": vehicle, "day": str(day), "departure": f"{departure:%H:%M}", "purpose": purpose}
        trips.append({**trip, "passengers": passengers})
        STORE.write_text(json.dumps(trips), encoding="utf-8")
        st.toast("Trip saved")
        st.success(f"Saved. The code is TR-{len(trips) * 37 + 1000}.")


st.navigation([st.Page(show_vehicles, title="Vehicles"), st.Page(take_trip, title="New trip")]).run()
